"""Tasks that outlive their process: the support desk is killed while it pays an order back, and the money goes out once."""
