$ printf '{"id":1,"name":"a"}\n{"id":2,"name":"b"}\n' > p.ndjson && strata import a.realm p.ndjson --class P --primary id --yes > /dev/null 2>&1; strata stat a.realm | grep -v -E "^(path|file size|in use|free|held)"
figure	value
log beside it	\N
page size	4096
newest commit	3
snapshots	1
schema version	0
classes	1
objects	2

$ strata stat a.realm --json
{"path":"WORK/a.realm","file size":40960,"in use":24576,"in use by objects":4096,"in use by long collections":0,"in use by large values":0,"in use by indexes":4096,"in use by links":0,"in use by records of commits":0,"in use by catalog":16384,"free":16384,"held by snapshots":8192,"log beside it":null,"page size":4096,"newest commit":3,"snapshots":1,"schema version":0,"classes":1,"objects":2}

% strata stat a.realm --no-color
figure                                     value
path               WORK/a.realm
file size                               40.0 KiB
in use                                  24.0 KiB
in use by objects                        4.0 KiB
in use by indexes                        4.0 KiB
in use by catalog                       16.0 KiB
free                                    16.0 KiB
held by snapshots                        8.0 KiB
log beside it                                  -
page size                                  4,096
newest commit                                  3
snapshots                             1 of 8,192
schema version                                 0
classes                                        1
objects                                        2

$ strata watch a.realm P --until 1 > seen & until [ -s seen ]; do sleep 0.1; done; strata readers a.realm | cut -f 2,3,4; strata insert a.realm P id=3 name=c; wait
program	commit	behind
strata	3	0
created one P

$ strata check a.realm
classes	objects	index entries	links	elements	result
1	3	3	0	0	sound

$ strata doctor a.realm | grep -v '^disk'
what	result	detail
opens	well	WORK/a.realm
space held by snapshots	well	16.0 KiB
free space	well	24.0 KiB
snapshots	well	1 of 8192
sound	well	every page, row, index entry and link
may be written	well	yes
writer	well	nobody is writing for long

$ strata backup a.realm copy.realm
copied to copy.realm

$ strata backup a.realm copy.realm
strata: copying to 'WORK/copy.realm': the file exists already; remove it, or choose another name
[6]

$ strata backup a.realm - > stream.realm && strata count stream.realm P
3

$ strata backup a.realm - --compact
strata: a copy that goes to the standard output cannot be compacted
[2]

$ strata compact a.realm --dry-run; strata stat a.realm | grep 'file size'
52.0 KiB now, would be about 28.0 KiB: gives back 24.0 KiB
file size	53248

$ strata watch a.realm P --until 1 > seen2 & until [ -s seen2 ]; do sleep 0.1; done; strata compact a.realm --dry-run; strata insert a.realm P id=4 name=d; wait
52.0 KiB now, would be about 28.0 KiB: gives back 24.0 KiB
it would be refused now: process <*> strata has the file open
created one P

$ strata delete a.realm "P where id == 4" --yes; strata compact a.realm
deleted 1 of P
68.0 KiB before, 36.0 KiB now

$ strata count a.realm P
3

$ strata salvage a.realm saved.realm --dry-run; ls saved.realm 2> /dev/null
class	objects	saved	in part	lost
P	3	3	0	0
nothing was written: run it without --dry-run to make saved.realm
[2]

$ strata salvage a.realm saved.realm && strata query saved.realm P --json
class	objects	saved	in part	lost
P	3	3	0	0
{"id":1,"name":"a"}
{"id":2,"name":"b"}
{"id":3,"name":"c"}

$ strata salvage a.realm saved.realm
strata: salvaging into 'saved.realm': the file exists already; remove it, or choose another name
[6]

# A page of the file is overwritten.
$ python3 -c "open('big.ndjson','w').writelines('{\"id\":%d,\"name\":\"person number %d\"}\n' % (i, i * 7919) for i in range(20000))" && strata import big.realm big.ndjson --class P --primary id --yes 2> /dev/null && strata check big.realm --plain | tail -1
1	20000	20000	0	0	sound

$ python3 - <<'END'
> data = bytearray(open('big.realm', 'rb').read())
> at = data.index(b'person number 79190000')
> data[at - 600:at - 500] = bytes(100)
> open('big.realm', 'wb').write(data)
> END

$ strata check big.realm
strata: object 10134 of P: the block that ends here is damaged; strata salvage saves what can be read
[4]

$ strata doctor big.realm | grep sound
sound	look	object 10134 of P: the block that ends here is damaged; strata salvage saves what can be read

$ strata salvage big.realm rest.realm > report 2> notes; echo $?; sed 's/objects [0-9]* are/objects N are/' notes; awk 'NR == 2 { print ($3 > 19000 && $3 < 20000 && $3 + $5 == 20000) ? "most of it" : $0 }' report; strata check rest.realm --plain | tail -1 | cut -f 6
1
of 20,000 objects N are lost and 0 saved in part: look for them in a backup, or salvage again with --old
most of it
sound

# The trees of a file lead nowhere: their roots are overwritten. The objects are still there.
$ cat > wipe.py <<'END'
> import struct, sys
> data = bytearray(open(sys.argv[1], 'rb').read())
> for number in range(2, len(data) // 4096):
>     page = data[number * 4096:number * 4096 + 4096]
>     flags, lower = struct.unpack('<HH', page[10:14])
>     if flags == 1 or (flags == 2 and sys.argv[2] in page[lower:].decode('latin-1')):
>         data[number * 4096:number * 4096 + 4096] = bytes(4096)
> open(sys.argv[1], 'wb').write(data)
> END

$ strata import whole.realm big.ndjson --class P --primary id --yes 2> /dev/null; cp whole.realm rootless.realm; python3 wipe.py rootless.realm nothing; strata check rootless.realm 2>&1 | sed 's/page [0-9]* /page N /'
strata: 'WORK/rootless.realm' is damaged: page N has the number of another; restore a backup, or save what can be read with strata salvage

$ strata salvage rootless.realm found.realm 2> notes; sed 's/^[0-9,]* /N /' notes; strata check found.realm --plain | tail -1
class	objects	saved	in part	lost
P	20000	20000	0	0
N blocks of objects were found to which no tree leads any more
1	20000	20000	0	0	sound

# And no page with the schema is left.
$ python3 wipe.py rootless.realm StrataDB; strata salvage rootless.realm again.realm
strata: 'WORK/rootless.realm' has no copy of its schema any more: to salvage its objects, give the declaration that they were written with
[4]

$ strata schema whole.realm > whole.schema; strata salvage rootless.realm again.realm --schema whole.schema 2> notes; grep -v blocks notes; strata count again.realm P
class	objects	saved	in part	lost
P	20000	20000	0	0
the file has no schema any more: that of whole.schema was taken
how many objects there were is not known of every class: any number may be lost
20000

# How far something long is, on a terminal; from the first moment on, if a variable says so.
% STRATA_PROGRESS=0 strata backup whole.realm with-progress.realm
<CR>copying: <*>648 KiB of 648 KiB, 100%, <*>iB/s<ESC>[K<CR><ESC>[Kcopied to with-progress.realm

% STRATA_PROGRESS=0 strata backup whole.realm - > streamed.realm && strata count streamed.realm P
<CR>copying: <*>648 KiB of 648 KiB, 100%, <*>iB/s<ESC>[K<CR><ESC>[K20000

% STRATA_PROGRESS=0 strata backup whole.realm compacted.realm --compact
<CR>copying: <*>632 KiB of 632 KiB, 100%, <*>iB/s<ESC>[K<CR><ESC>[Kcopied to compacted.realm

% STRATA_PROGRESS=0 strata compact compacted.realm
<CR>compacting: <*>632 KiB of 632 KiB, 100%, <*>iB/s<ESC>[K<CR><ESC>[K644 KiB before, 644 KiB now

% STRATA_PROGRESS=0 strata export whole.realm --output whole.ndjson
<CR>exporting: 4,642 of 20,000 objects, 23%, <*> s left, <*>/s<ESC>[K<CR>exporting: <*>20,000 of 20,000 objects, 100%, <*>/s<ESC>[K<CR><ESC>[K<no line end>

% STRATA_PROGRESS=0 strata export whole.realm "P where id < 2"
{"id":0,"name":"person number 0"}
{"id":1,"name":"person number 7919"}

$ STRATA_PROGRESS=0 strata export whole.realm "P where id < 2"; STRATA_PROGRESS=0 strata backup whole.realm quiet.realm
{"id":0,"name":"person number 0"}
{"id":1,"name":"person number 7919"}
copied to quiet.realm

$ printf 'no store at all' > text.realm; strata salvage text.realm x.realm
strata: 'WORK/text.realm' has no page of a Strata store: nothing can be salvaged
[3]

$ strata completion bash | head -3
#!/bin/bash

__strata_cursor_index_in_current_word() {

$ strata completion tcsh
strata: there is no script for 'tcsh'; there are bash, zsh and fish
[2]

$ strata --version
0.1.0
