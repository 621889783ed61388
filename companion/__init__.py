"""The application: command line, session, journal, lights, page."""
