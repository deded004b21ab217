"""A checker of histories, in the manner of Jepsen: real processes share a store while a nemesis kills, stops and confuses them.

    python -m tests.trust.histories [--seed SEED] [--count N] [--seconds S] [--store sqlite|postgres]

A history is drawn from its seed: the tasks of the agent, the processes of each round, and what happens to each of them, at which of its
own steps (see `actors`). What tools do goes to a ledger outside of the journal (`ledger`). When all processes have ended, one
to which nothing happens continues with what is left; then `check` compares the ledger, the journal and the plan.
"""
