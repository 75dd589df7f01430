"""CHROMA: hidden hands, placement by a colour wheel, powers; two to six players."""
