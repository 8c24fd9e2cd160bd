"""What is wrong with a request, in words: an unknown name with those that there are, JSON that ends too soon."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args

from fastapi import Request
from pydantic import BaseModel

from engrain.interfaces.rest.problems import Problem


def misunderstood(request: Request, errors: Sequence[Mapping[str, Any]]) -> Problem:
    """Return the problem of a request that does not fit its call: the first mistakes in words, all in `errors`."""
    names = _names(request)
    found = [_mistake(each, names) for each in errors]
    told = "; ".join(f"{'.'.join(each['at'])}: {each['what']}" for each in found[:3])
    if any(each["type"] == "extra_forbidden" for each in errors) and names:
        told += f". It takes {', '.join(names)}"
    return Problem(422, "invalid", told, {"errors": found})


def _mistake(error: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    at = list(map(str, error["loc"]))
    why = error.get("ctx", {}).get("error")
    if error["type"] == "json_invalid":
        return {"at": at[:1], "what": f"this is no JSON: {why}, at character {at[-1]}"}
    if error["type"] == "extra_forbidden":
        near = get_close_matches(at[-1], names, n=1) if len(at) == 2 else []
        return {"at": at, "what": "there is no such name" + (f", you may mean {near[0]}" if near else "")}
    said = error["msg"] if why is None or str(why) in error["msg"] else f"{error['msg']}: {why}"
    return {"at": at, "what": said}


def _names(request: Request) -> list[str]:
    """Return what the call takes in its body or query."""
    call = request.scope.get("endpoint")
    asked = None if call is None else inspect.signature(call).parameters.get("asked")
    model = None if asked is None else next(iter(get_args(asked.annotation)), asked.annotation)
    return list(model.model_fields) if isinstance(model, type) and issubclass(model, BaseModel) else []
