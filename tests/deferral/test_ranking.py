"""Words and scores: stems, identifiers, related words, patterns."""

from __future__ import annotations

import time

import pytest

from stead._deferral.ranking import ToolIndex, words
from stead._deferral.stems import related, stem
from stead.tools import ToolDefinition


def tool(name: str, description: str = '', **arguments: str) -> ToolDefinition:
    properties = {argument: {'type': 'string', 'description': text} for argument, text in arguments.items()}
    return ToolDefinition(
        name=name, description=description, parameters_json_schema={'type': 'object', 'properties': properties}
    )


TOOLS = [
    tool('create_invoice', 'Create an invoice for a customer.', due_date='When it must be paid.'),
    tool('cancelSubscription', 'Cancel the subscription of a customer.'),
    tool('get-weather', 'Get the current weather of a city.', unit='Celsius or Fahrenheit.'),
    tool('s3_upload', 'Upload a file to S3 storage.'),
    tool('S3Download', 'Download a file from S3 storage.'),
    tool('menü_öffnen', 'Öffnet das Menü.'),
]


def best(strategy: str, *queries: str) -> list[str]:
    return ToolIndex(TOOLS).search(strategy, queries, lambda name: True)


@pytest.mark.parametrize(
    'forms',
    [
        ('cancel', 'cancels', 'cancelled', 'canceling', 'cancellation'),
        ('translate', 'translates', 'translating', 'translation', 'translations'),
        ('invoice', 'invoices', 'invoiced', 'invoicing'),
        ('schedule', 'schedules', 'scheduled', 'scheduling'),
        ('reply', 'replies', 'replied', 'replying'),
        ('delete', 'deletes', 'deleting', 'deletion'),
        ('pay', 'pays', 'paying', 'payment', 'payments'),
    ],
)
def test_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize(('one', 'other'), [('order', 'bored'), ('status', 'state'), ('news', 'new'), ('bus', 'bug')])
def test_other_words_have_others(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_identifiers_are_taken_apart() -> None:
    assert words('getHTTPResponse2') == words('get HTTP response2')
    assert words('list_of_user-names') == [stem('list'), stem('user'), stem('names')]
    assert words('MENÜ') == words('menu')


def test_related_words_are_mutual() -> None:
    assert stem('remove') in related(stem('delete'))
    assert stem('delete') in related(stem('remove'))


@pytest.mark.parametrize('strategy', ['keywords', 'bm25', 'regex'])
@pytest.mark.parametrize(
    ('query', 'name'),
    [
        ('invoices', 'create_invoice'),
        ('cancelling subscriptions', 'cancelSubscription'),
        ('weather', 'get-weather'),
        ('fahrenheit', 'get-weather'),
        ('put a file on s3', 's3_upload'),
        ('menu', 'menü_öffnen'),
        ('bill somebody', 'create_invoice'),
        ('subscr', 'cancelSubscription'),
    ],
)
def test_the_best_tool_comes_first(strategy: str, query: str, name: str) -> None:
    assert best(strategy, query)[0] == name


def test_what_nobody_has_finds_nothing() -> None:
    assert best('keywords', 'zebra') == []
    assert best('bm25', 'the of and') == []


def test_the_best_answers_to_each_query_come_first() -> None:
    assert set(best('keywords', 'weather', 'invoice')[:2]) == {'get-weather', 'create_invoice'}


def test_patterns_are_searched_and_broken_ones_are_words() -> None:
    assert best('regex', '^s3.*load$') == ['s3_upload', 'S3Download']
    assert set(best('regex', 'create_.*|cancel.*')) == {'create_invoice', 'cancelSubscription'}
    assert best('regex', '(unclosed weather') == ['get-weather']


@pytest.mark.parametrize(
    'pattern',
    [
        '(a+)+$',
        '(a|aa)*b',
        '((x*)*)*y',
        r'(\w+\s?)+!',
        '.*.*.*.*x',
        'a?' * 40 + 'a' * 40,
        r'(a)\1+(?=b)+',
        'a{1,99}' * 9,
    ],
)
def test_a_pattern_cannot_take_for_ever(pattern: str) -> None:
    index = ToolIndex([tool('victim', 'a' * 3000)])
    start = time.thread_time()
    index.search('regex', [pattern], lambda name: True)
    assert time.thread_time() - start < 1


def test_only_tools_asked_about_are_found() -> None:
    assert ToolIndex(TOOLS).search('bm25', ['file'], {'S3Download'}.__contains__) == ['S3Download']


def test_an_empty_index() -> None:
    assert ToolIndex([]).search('bm25', ['file'], lambda name: True) == []
