// What the two faces of the disks may be called on the forms: light and dark one, or none where a board has no disks.
export const DISKS = [
  "beige,dark", "sand,espresso", "cream,charcoal", "birch,walnut", "white,black",
  "white,red", "white,blue", "yellow,red", "yellow,blue", "yellow,green", "orange,purple", "pink,brown", "lime,maroon", "silver,navy", "none",
];
