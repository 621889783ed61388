"""Reading cells: a table is learned from a picture, and then every cell told as likelihoods."""
