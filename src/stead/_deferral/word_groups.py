"""Words that people and tools use for the same thing, in English.

The words of a line are interchangeable. They come from everyday requests and from programming interfaces, not from any
particular field: `tests/deferral/test_recall.py` measures searches with and without them.
"""

GROUPS = """
add create make new insert register build generate write produce compose
delete remove erase drop destroy discard purge wipe clear rid
update edit modify change alter revise adjust amend fix correct
get fetch read retrieve show view display see tell give
find search look lookup locate query discover
list enumerate all every overview
send deliver dispatch mail message forward transmit
email mail inbox letter
message chat text dm sms
call phone dial ring
start begin launch run execute trigger kick
stop end halt terminate kill abort
cancel abort revoke withdraw undo
pause suspend hold freeze
resume continue restart reboot reset
open unlock access
close shut lock
approve accept confirm authorize allow permit grant
reject decline deny refuse
buy purchase order shop
sell sale
pay payment charge bill money
invoice bill receipt
refund reimburse reimbursement money back return
price cost rate fee quote much expensive
customer client buyer shopper consumer
user person people member account profile human somebody someone
employee staff worker colleague personnel team coworker
company organization business firm enterprise
contact person address
meeting appointment event calendar call
schedule plan book arrange calendar
book reserve reservation booking
remind reminder alarm notify alert
task todo ticket issue chore work job
bug issue defect error problem ticket
error exception failure crash fail broken
document doc file paper page
picture image photo photograph photos snapshot
video movie film clip
song music track audio tune
sound audio voice
folder directory
file document attachment
copy duplicate clone
move transfer relocate
upload import put push
download export save pull
translate translation language
summarize summary shorten brief condense digest
convert transform turn change
compress zip shrink pack
extract unzip unpack parse
weather forecast temperature rain sunny
map location place position where
route direction directions navigate way path
distance far long
flight plane airline airplane fly
train rail railway
car vehicle auto automobile
hotel room lodging accommodation stay
restaurant food eat dinner meal dining
travel trip journey vacation holiday
password credential secret login
login signin sign session authenticate
permission right access role privilege
deploy release ship rollout publish
server machine host instance vm computer
website site web page url link
log logs trace history record
history past previous earlier record
metric statistic stats measure number analytics
chart graph plot diagram visualize
report summary overview dashboard
database db table sql
backup snapshot restore copy
branch fork
commit change revision
merge combine join unite
split divide separate
compare diff difference versus
sort order rank
count number total many
stock inventory quantity available
share stock equity
package parcel shipment delivery shipping
ship deliver send shipping
track follow trace status
status state condition progress
coupon discount promo voucher deal
money currency cash
exchange convert rate
tax vat
salary pay wage payroll compensation
leave vacation holiday absence off pto
hire recruit candidate applicant
doctor physician medical health
medicine drug prescription medication
student pupil learner
course class lesson training
grade mark score
comment note remark feedback
rate review rating feedback
tag label category
subscribe subscription follow
unsubscribe cancel
block ban
light lamp bulb brightness
heat heating thermostat temperature warm cold
door lock
turn switch toggle
large big size
fast quick speed
check verify validate test
test try experiment
analyze examine inspect investigate
monitor watch observe
recommend suggest recommendation
assign allocate give
archive store save keep
spreadsheet sheet excel
slide presentation deck powerpoint
news headline article
question ask survey
answer reply respond response
time clock hour
date day
today now current
key secret token
"""
