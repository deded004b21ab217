"""The packages of Outlines and of its backends: loaded on use, with errors that say what to install."""

from __future__ import annotations

import importlib.util
from io import BytesIO
from typing import Any

from ..._kit.extras import load_extra
from ..._kit.json_types import JsonObject
from ..._kit.sdk_types import SdkObject
from ..._kit.secret import hide_secret
from ...exceptions import ModelAPIError, UserError
from .. import _wire_errors
from ._request import VLLM_SETTINGS, ImageData


def load_outlines(module: str = 'outlines') -> SdkObject:
    """Return a module of Outlines.

    Raises:
        ImportError: It is not installed.
    """
    return load_extra(module, extra='outlines', what='OutlinesModel')


def require_backend(package: str, *, extra: str | None, what: str) -> None:
    """Raise an error if the package of a backend is not installed.

    Args:
        package: The package that is imported.
        extra: The extra of Outlines that installs it; `None` if it has none.
        what: What needs the package.

    Raises:
        ImportError: Outlines or the package is not installed.
    """
    load_outlines()
    try:
        found = importlib.util.find_spec(package) is not None
    except ValueError:  # a module that a program put there by hand
        found = True
    if not found:
        install = f'outlines[{extra}]' if extra else package
        raise ImportError(f'{what} needs the package {package!r}. Install it with `pip install "{install}"`.')


def require_decoder(kind: str) -> None:
    """Raise an error if a package is missing without which answers would not be held to a schema.

    llama.cpp calls Outlines for each token and ignores that the call fails: the answer would be free text.

    Args:
        kind: The class of the backend in Outlines.

    Raises:
        ImportError: The package is not installed.
    """
    if kind == 'LlamaCpp':
        require_backend('numba', extra='llamacpp', what='An output with a schema on llama.cpp')


def sampling_parameters(settings: JsonObject) -> JsonObject:
    """Return the arguments for vLLM: an object with its settings, and those in `extra_body`.

    Raises:
        ImportError: vLLM is not installed.
    """
    require_backend('vllm', extra=None, what='A model of vLLM')
    from importlib import import_module

    values = {name: settings[key] for key, name in VLLM_SETTINGS.items() if key in settings}
    if 'logit_bias' in values:
        values['logit_bias'] = {int(token): bias for token, bias in values['logit_bias'].items()}
    sampling: SdkObject = import_module('vllm').SamplingParams
    return {'sampling_params': sampling(**values), **(settings.get('extra_body') or {})}


def chat_of(messages: list[JsonObject]) -> SdkObject:
    """Return a chat of Outlines.

    Raises:
        ImportError: Outlines is not installed.
        UserError: An image cannot be read.
    """
    inputs = load_outlines('outlines.inputs')
    return inputs.Chat([{**message, 'content': _content(message['content'], inputs)} for message in messages])


def _content(content: Any, inputs: SdkObject) -> Any:
    if isinstance(content, str):
        return content
    return [_image(item, inputs) if isinstance(item, ImageData) else item for item in content]


def _image(image: ImageData, inputs: SdkObject) -> SdkObject:
    pillow = load_extra('PIL.Image', extra='outlines', what='OutlinesModel')
    try:
        return inputs.Image(pillow.open(BytesIO(image.data)))
    except (OSError, TypeError) as error:
        raise UserError(f'An image in the messages cannot be read: {error}') from error


def as_model_error(error: Exception, model_name: str, secret: str | None, *, remote: bool) -> Exception:
    """Return stead's error for one that a model raised; what a model in this process raises itself is returned as it is.

    Args:
        error: The error.
        model_name: The name of the model.
        secret: The API key, which is removed from the text, and from those of the error and its causes.
        remote: Whether the model is on a server.
    """
    hide_secret(error, secret)
    if isinstance(error, TypeError) and 'keyword' in str(error):  # Python's own words: the call did not begin
        return UserError(f'The settings have an argument that the client of the model does not take: {error}')
    original = getattr(error, 'original_exception', None)
    is_own = type(error).__module__.startswith('outlines.')
    if is_own and isinstance(original, Exception):
        return as_model_error(original, model_name, secret, remote=remote)
    if is_own and not isinstance(error, (TypeError, ValueError, NotImplementedError)):
        text = _wire_errors.without_secret(str(error), secret)
        return ModelAPIError(model_name, f'{model_name!r} reports: {text}')
    return _wire_errors.as_model_error(error, model_name, secret, 'openai') if remote else error
