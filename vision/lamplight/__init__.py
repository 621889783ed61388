"""The lamp over the table: where it stands, its shade and shadows, and what mirrors it."""
