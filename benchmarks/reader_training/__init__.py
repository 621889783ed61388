"""How the weights of the reader's network are made: painted boards and labelled stills → patches → training."""
