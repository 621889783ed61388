"""The reader's small neural networks: what they are made of, what each looks at and what it tells."""
