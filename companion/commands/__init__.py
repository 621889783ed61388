"""The commands, one file each: a module `name.py` defines `command`, and `storisende name` finds it.

A trailing underscore keeps a name clear of a Python word (`print_.py` is `storisende print`). A module `group_sub.py`
beside a `group.py` is a subcommand of that group and is not listed here.
"""
