"""Graph matching: a network that sees the graphs of two queries and says how far they are apart.

Graphs come as plain values (:class:`~sqljury.learning.graph_matching.graphs.QueryGraph`); scoring
and training need ``sqljury[torch]``. What imports torch is imported by whoever trains or scores:
:mod:`.matcher` (a trained network), :mod:`.training`, :mod:`.pretraining`.

Source: Zhan et al. 2024 (FuncEvalGMN), section 4 and appendices B, C and L; the network is that
of Li et al. 2019 (graph matching networks).
"""
