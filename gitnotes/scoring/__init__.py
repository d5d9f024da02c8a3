"""How are files of pairs scored? Reads rows, scores them in order, keeps totals, writes rows."""
