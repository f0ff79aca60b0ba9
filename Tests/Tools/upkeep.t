$ printf '{"id":1,"name":"a"}\n{"id":2,"name":"b"}\n' > p.ndjson && strata import a.realm p.ndjson --class P --primary id --yes > /dev/null 2>&1; strata stat a.realm | grep -v -E "^(path|file size|in use|free|held)"
figure	value
page size	4096
newest commit	3
snapshots	1
schema version	0
classes	1
objects	2

$ strata stat a.realm --json
{"path":"WORK/a.realm","file size":40960,"in use":24576,"free":16384,"held by snapshots":8192,"page size":4096,"newest commit":3,"snapshots":1,"schema version":0,"classes":1,"objects":2}

% strata stat a.realm --no-color
figure                                     value
path               WORK/a.realm
file size                               40.0 KiB
in use                                  24.0 KiB
free                                    16.0 KiB
held by snapshots                        8.0 KiB
page size                                  4,096
newest commit                                  3
snapshots                             1 of 1,024
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
snapshots	well	1 of 1024
sound	well	every page, row, index entry and link
may be written	well	yes

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

$ strata compact a.realm
52.0 KiB before, 40.0 KiB now

$ strata count a.realm P
3

$ strata salvage a.realm saved.realm && strata query saved.realm P --json
class	objects	saved	lost
P	3	3	0
{"id":1,"name":"a"}
{"id":2,"name":"b"}
{"id":3,"name":"c"}

$ strata salvage a.realm saved.realm
strata: saved.realm is there already
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
strata: object 10134 of P: the block that ends here is damaged
[4]

$ strata doctor big.realm | grep sound
sound	look	object 10134 of P: the block that ends here is damaged: strata salvage saves what can be read

$ strata salvage big.realm rest.realm > report; echo $?; awk 'NR == 2 { print ($3 > 19000 && $3 < 20000 && $3 + $4 == 20000) ? "most of it" : $0 }' report; strata check rest.realm --plain | tail -1 | cut -f 6
1
most of it
sound

$ strata completion bash | head -3
#!/bin/bash

__strata_cursor_index_in_current_word() {

$ strata completion tcsh
strata: there is no script for 'tcsh'; there are bash, zsh and fish
[2]

$ strata --version
0.1.0
