"""The questions of `quality.py`: 30 that one of three tools answers, 30 from which an order is read; and worked examples."""

from __future__ import annotations

from typing import Any, NamedTuple


class Choice(NamedTuple):
    """A question, and the call that answers it."""

    question: str
    tool: str
    args: dict[str, Any]


class Reading(NamedTuple):
    """A text, and the order that it places."""

    text: str
    order: dict[str, Any]


def _choices(tool: str, *rows: tuple[Any, ...]) -> list[Choice]:
    names = {'weather': ('city',), 'set_alarm': ('time',), 'send_message': ('to', 'text')}[tool]
    return [Choice(row[0], tool, dict(zip(names, row[1:]))) for row in rows]


CHOICES = [
    *_choices(
        'weather',
        ('What is the weather in Oslo?', 'Oslo'),
        ('Is it raining in Porto?', 'Porto'),
        ('Do I need an umbrella in Dublin today?', 'Dublin'),
        ('How warm is it in Cairo?', 'Cairo'),
        ('Will there be snow in Turku tomorrow?', 'Turku'),
        ('Tell me the forecast for Lima.', 'Lima'),
        ('Is the sun shining in Nice?', 'Nice'),
        ('How windy is it in Chicago right now?', 'Chicago'),
        ('What temperature does Kyoto have?', 'Kyoto'),
        ('Should I take a coat to Riga?', 'Riga'),
    ),
    *_choices(
        'set_alarm',
        ('Wake me up at 06:30.', '06:30'),
        ('Set an alarm for 07:15, please.', '07:15'),
        ('I have to get up at 05:45.', '05:45'),
        ('Can you ring at 22:00?', '22:00'),
        ('Make sure that I am awake by 08:20.', '08:20'),
        ('Alarm at 12:05.', '12:05'),
        ('My train leaves early, wake me at 04:50.', '04:50'),
        ('Beep at 16:40 so that I do not forget the cake.', '16:40'),
        ('Set the clock to ring at 09:00.', '09:00'),
        ('Let me sleep until 10:30.', '10:30'),
    ),
    *_choices(
        'send_message',
        ('Tell Mina that the desk has arrived.', 'Mina', 'the desk has arrived'),
        ('Write to Jon: see you at eight', 'Jon', 'see you at eight'),
        ('Let Rosa know that dinner is ready.', 'Rosa', 'dinner is ready'),
        ('Message Emre that I am late.', 'Emre', 'I am late'),
        ('Send Aiko this text: happy birthday', 'Aiko', 'happy birthday'),
        ('Please inform Paul that the meeting is over.', 'Paul', 'the meeting is over'),
        ('Text Nora: call me back', 'Nora', 'call me back'),
        ('Tell Ivan that the door is open.', 'Ivan', 'the door is open'),
        ('Say to Lea: the tickets are here', 'Lea', 'the tickets are here'),
        ('Drop Omar a line that the car is fixed.', 'Omar', 'the car is fixed'),
    ),
]

CHOICE_EXAMPLES = [
    *_choices('weather', ('What is the weather like in Madrid?', 'Madrid')),
    *_choices('set_alarm', ('Please wake me at 07:40.', '07:40')),
    *_choices('send_message', ('Tell Sven that the lamp is broken.', 'Sven', 'the lamp is broken')),
    *_choices('set_alarm', ('I must not sleep longer than 06:10.', '06:10')),
    *_choices('send_message', ('Write to Ada: lunch at one', 'Ada', 'lunch at one')),
    *_choices('weather', ('Is it cold in Tromso?', 'Tromso')),
]


def _reading(text: str, quantity: int, item: str, city: str) -> Reading:
    return Reading(text, {'item': item, 'quantity': quantity, 'city': city})


READINGS = [
    _reading('Please send 4 units of the oak shelf to Oslo.', 4, 'oak shelf', 'Oslo'),
    _reading('I would like 2 of the reading lamp, shipped to Porto.', 2, 'reading lamp', 'Porto'),
    _reading('We order the standing mat, 12 times, for our office in Kyoto.', 12, 'standing mat', 'Kyoto'),
    _reading('Could you deliver 1 walnut desk to Leipzig?', 1, 'walnut desk', 'Leipzig'),
    _reading('Ship to Turku: 7 x cable tray.', 7, 'cable tray', 'Turku'),
    _reading('Our branch in Lima needs 3 of the filing cabinet.', 3, 'filing cabinet', 'Lima'),
    _reading('Order: stacking chair. How many: 40. Where to: Izmir.', 40, 'stacking chair', 'Izmir'),
    _reading('Hello, 5 of the desk organiser to Graz, thank you!', 5, 'desk organiser', 'Graz'),
    _reading('The conference table, just 1, has to go to Boston.', 1, 'conference table', 'Boston'),
    _reading('6 pieces of the whiteboard for Nairobi, please.', 6, 'whiteboard', 'Nairobi'),
    _reading('Send the coat rack to Vienna, 2 of them.', 2, 'coat rack', 'Vienna'),
    _reading('For our people in Quito we want 15 of the foot rest.', 15, 'foot rest', 'Quito'),
    _reading('Please put 9 of the monitor arm on the way to Dublin.', 9, 'monitor arm', 'Dublin'),
    _reading('I need the bookshelf in Riga, quantity 3.', 3, 'bookshelf', 'Riga'),
    _reading('Can Malmo get 8 of the paper bin?', 8, 'paper bin', 'Malmo'),
    _reading('To Cairo, 11 of the wall clock.', 11, 'wall clock', 'Cairo'),
    _reading('Our order is for 20 of the office chair; the address is in Lyon.', 20, 'office chair', 'Lyon'),
    _reading('Add 2 of the phone booth, destination Seoul.', 2, 'phone booth', 'Seoul'),
    _reading('We moved to Bern and want 10 of the floor lamp there.', 10, 'floor lamp', 'Bern'),
    _reading('1 steel locker, to be sent to Perth.', 1, 'steel locker', 'Perth'),
    _reading('Do you have the bar stool? If so, 4 to Naples.', 4, 'bar stool', 'Naples'),
    _reading('Three things: item cork board, amount 13, city Tampa.', 13, 'cork board', 'Tampa'),
    _reading('Deliver the side table to Hanoi; I want 5.', 5, 'side table', 'Hanoi'),
    _reading('My boss in Tallinn asks for 30 of the key cabinet.', 30, 'key cabinet', 'Tallinn'),
    _reading('Get me 2 of the drawing table to Bilbao.', 2, 'drawing table', 'Bilbao'),
    _reading('Send 14 of the seat cushion over to Accra.', 14, 'seat cushion', 'Accra'),
    _reading('The plant stand, 6 of it, goes to Zagreb.', 6, 'plant stand', 'Zagreb'),
    _reading('It is about 18 of the desk lamp for Ghent.', 18, 'desk lamp', 'Ghent'),
    _reading('Please, one order for Sofia: 3 of the tool cart.', 3, 'tool cart', 'Sofia'),
    _reading('Ankara wants the glass table, 2 of them.', 2, 'glass table', 'Ankara'),
]

READING_EXAMPLES = [
    _reading('Please deliver 3 of the corner desk to Madrid.', 3, 'corner desk', 'Madrid'),
    _reading('Our office in Bergen needs the wall shelf, 8 of them.', 8, 'wall shelf', 'Bergen'),
    _reading('Order: paper tray. How many: 25. Where to: Basel.', 25, 'paper tray', 'Basel'),
    _reading('Ship 1 of the swivel chair to Tokyo, thanks.', 1, 'swivel chair', 'Tokyo'),
    _reading('To Denver, 17 of the lamp shade.', 17, 'lamp shade', 'Denver'),
    _reading('I want the tea trolley in Split, quantity 2.', 2, 'tea trolley', 'Split'),
]
