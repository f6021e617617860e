"""Uses of verdicts, a package each: evaluate, agree, select, trust, audit, …"""
