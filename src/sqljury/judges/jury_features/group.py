"""What a group of features is, and how groups are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from sqljury.errors import InputError
from sqljury.registry import Registry

if TYPE_CHECKING:
    from sqljury.judges.jury_features.pair import Pair

Values = Mapping[str, float | None]
"""Features by their names within the group; None, or no entry, where nothing is known."""


@dataclass(frozen=True, slots=True)
class Feature:
    """One number that is known of a case, or not.

    Args:
        name: within its group; :attr:`FeatureGroup.features` has the full name.
        meaning: what the number is, in a phrase.
        sign: 1 where more of it cannot make a prediction less likely to be right, -1 where more
            cannot make it likelier, all else being equal; 0 where nothing is known of that.
    """

    name: str
    meaning: str
    sign: int = 0


@dataclass(frozen=True, slots=True)
class FeatureGroup:
    """Features that are found together.

    Args:
        name: its module's.
        title: what they are, in a sentence.
        features: by their full names, ``GROUP_NAME``.
        find: the function that finds them.
    """

    name: str
    title: str
    features: tuple[Feature, ...]
    find: Callable[[Pair], Values]

    def values(self, pair: Pair) -> dict[str, float]:
        """What is known of a case, by full names; what is not known is left out."""
        found = self.find(pair)
        return {f"{self.name}_{k}": float(v) for k, v in found.items() if v is not None}


GROUPS: Final[Registry[FeatureGroup]] = Registry(
    "sqljury.judges.jury_features.groups", group="sqljury.feature_groups"
)
"""Groups by name; a built-in one is known by the name of its module."""


def feature_group(
    name: str, *features: Feature
) -> Callable[[Callable[[Pair], Values]], FeatureGroup]:
    """Decorator: the function finds these features; its docstring's first line is the title."""

    def register(find: Callable[[Pair], Values]) -> FeatureGroup:
        title = (find.__doc__ or "").strip().partition("\n")[0]
        named = tuple(replace(one, name=f"{name}_{one.name}") for one in features)
        group = FeatureGroup(name, title, named, find)
        GROUPS.add(name, group)
        return group

    return register


def all_groups() -> tuple[FeatureGroup, ...]:
    """All groups by name: ours, and those of installed packages."""
    return tuple(GROUPS.all().values())


def chosen_groups(text: str) -> tuple[FeatureGroup, ...]:
    """The groups that names joined by ``+`` name; all for an empty text.

    Raises:
        InputError: SJ348: there is no such group.
    """
    known = all_groups()
    names = [group.name for group in known]
    wanted = [part.strip() for part in text.split("+") if part.strip()]
    for part in wanted:
        if part not in names:
            hint = f"Known: {', '.join(names)}."
            raise InputError("SJ348", f"there is no group of features {part!r}.", hint=hint)
    return tuple(group for group in known if not wanted or group.name in wanted)


def on_both_sides(name: str, meaning: str, sign: int = 0) -> Sequence[Feature]:
    """A number of the prediction, the same of the reference, and how much more the first is.

    Args:
        sign: what more of it on the prediction's side says.
    """
    return (
        Feature(f"{name}_prediction", f"of the prediction: {meaning}"),
        Feature(f"{name}_reference", f"of the reference: {meaning}"),
        Feature(f"{name}_more", f"the prediction's minus the reference's: {meaning}", sign),
    )


def both_sides(name: str, prediction: float | None, reference: float | None) -> Values:
    """The values of :func:`on_both_sides`."""
    known = prediction is not None and reference is not None
    return {
        f"{name}_prediction": prediction,
        f"{name}_reference": reference,
        f"{name}_more": prediction - reference if known else None,  # type: ignore[operator]
    }
