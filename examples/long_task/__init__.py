"""Tasks that outlive their process: the support desk is killed while it refunds an order, and the money is paid once."""
