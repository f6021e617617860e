"""Client for chat models: a ledger for replay, limits, a budget, answers of a given JSON shape."""

from typing import TYPE_CHECKING

from sqljury.rooms import lazily

if TYPE_CHECKING:
    from sqljury.llm.batch import Batches, Collected, check_batches
    from sqljury.llm.chat import Answer, Message, Model, Reply, Request
    from sqljury.llm.client import Client, Rehearsal, Spent
    from sqljury.llm.costs import (
        BudgetReachedError,
        Estimate,
        Price,
        Prices,
        estimate,
        typical_price,
    )
    from sqljury.llm.fences import FENCE_RULE, fence, unfenced, visible
    from sqljury.llm.ledger import Entry, Ledger
    from sqljury.llm.model_names import parse_model
    from sqljury.llm.providers import Capabilities, Provider, known_providers, register
    from sqljury.llm.settings import ClientSettings
else:
    __getattr__ = lazily(__name__)

__all__ = [
    "FENCE_RULE",
    "Answer",
    "Batches",
    "BudgetReachedError",
    "Capabilities",
    "Client",
    "ClientSettings",
    "Collected",
    "Entry",
    "Estimate",
    "Ledger",
    "Message",
    "Model",
    "Price",
    "Prices",
    "Provider",
    "Rehearsal",
    "Reply",
    "Request",
    "Spent",
    "check_batches",
    "estimate",
    "fence",
    "known_providers",
    "parse_model",
    "register",
    "typical_price",
    "unfenced",
    "visible",
]
