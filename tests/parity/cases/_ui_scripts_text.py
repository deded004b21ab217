"""Scripts of text and thinking."""

from _ui_talk import Say, Script, Think
from pydantic_ai.messages import TextPart

SCRIPTS = [
    Script('text', [[Say('Hello')]]),
    Script('pieces', [[Say('He|l|lo, |wor|ld')]]),
    Script('empty pieces', [[Say('|a||b|')]]),
    Script('white space', [[Say(' \n|  a |\n\n| b ')]]),
    Script('other scripts', [[Say('Grüße, |日本|語 🎉')]]),
    Script('markup', [[Say('<b>|&amp; "quoted" \\|`code`</b>')]]),
    Script('two texts', [[Say('a'), Say('b|c')]]),
    Script('text with ids', [[TextPart('a', id='t1', provider_name='p', provider_details={'d': 1})]], ['Hi', 'more']),
    Script('thinking', [[Think('hm|so'), Say('done')]], ['Hi', 'more']),
    Script('signed', [[Think('hm', 'sig', {'provider_name': 'p'}), Say('done')]], ['Hi', 'more']),
    Script('only a signature', [[Think(None, 'sig', {'provider_name': 'p'}), Say('done')]], ['Hi', 'more']),
    Script('identified', [[Think('hm', fields={'id': 'r1', 'provider_name': 'p'}), Say('done')]], ['Hi', 'more']),
    Script(
        'details',
        [[Think('hm', 's', {'provider_name': 'p', 'provider_details': {'d': [1]}}), Say('x')]],
        ['Hi', 'more'],
    ),
    Script('two thoughts', [[Think('a', 's1'), Think('b', 's2'), Say('x')]], ['Hi', 'more']),
    Script('thinking after text', [[Say('a'), Think('hm'), Say('b')]], ['Hi', 'more']),
    Script('only thinking', [[Think('hm')], [Say('then')]]),
    Script('system prompt', [[Say('a')], [Say('b')]], ['Hi', 'more'], agent={'system_prompt': 'own'}),
    Script('instructions', [[Say('a')], [Say('b')]], ['Hi', 'more'], agent={'instructions': 'own'}),
    *(Script(f'ends with {reason}', [[Say('a'), {'finish_reason': reason}]]) for reason in ('stop', 'length')),
    Script('ends at a filter', [[Say('a'), {'finish_reason': 'content_filter'}]]),
]
