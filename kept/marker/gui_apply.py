import re,subprocess,html,sys
dry='-n' in sys.argv
rows=[l.rstrip('\n').split('\t') for l in open('/tmp/w/marker/gui_reword.tsv') if l.strip()]
lit=r'"(?:[^"\\]|\\.)*"'
group=re.compile(lit+r'(?:\s*'+lit+r')*')
new={a:b for a,b,k in rows}; ko={a:k for a,b,k in rows if k}
left=dict(new)
files=subprocess.check_output("git ls-files app/gui tests/app/gui tests/flows",shell=True,text=True).split()
for f in files:
    if not f.endswith(('.cpp','.h')): continue
    s=o=open(f).read()
    def r(m):
        t=''.join(x[1:-1] for x in re.findall(lit,m.group(0)))
        if t in new:
            left.pop(t,None); return '"'+new[t]+'"'
        return m.group(0)
    s=group.sub(r,s)
    if s!=o and not dry: open(f,'w').write(s)
p='translations/slipway_ko.ts'; s=open(p).read()
def msg(m):
    b=m.group(0)
    src=re.search(r'<source>(.*?)</source>',b,re.S); t=html.unescape(src.group(1))
    if t not in new: return b
    b=b.replace(src.group(0),'<source>'+html.escape(new[t],quote=True).replace('&#x27;','&apos;')+'</source>')
    if t in ko:
        k=html.escape(ko[t],quote=False)
        b=re.sub(r'<translation>(?!\s*<numerusform>).*?</translation>','<translation>'+k+'</translation>',b,flags=re.S)
        b=re.sub(r'<numerusform>.*?</numerusform>','<numerusform>'+k+'</numerusform>',b,flags=re.S)
    return b
s=re.sub(r'<message.*?</message>',msg,s,flags=re.S)
if not dry: open(p,'w').write(s)
p='translations/slipway_en.ts'; s=open(p).read()
def en(m):
    b=m.group(0); src=re.search(r'<source>(.*?)</source>',b,re.S); t=html.unescape(src.group(1))
    if t not in new: return b
    return None and b or '\x01'+t+'\x01'+b
hits=re.findall('\x01(.*?)\x01',re.sub(r'<message.*?</message>',en,s,flags=re.S))
print('plural forms to edit by hand:',hits)
print('not found:',list(left))
EN={'%n layout(s) stand behind it, Enter applies one':('%n nearly equal layout, Enter applies it','%n nearly equal layouts, Enter applies one'),
'%n run(s) go on without the window; it follows them again when it is opened.':('%n run continues without the window and is followed again when it opens.','%n runs continue without the window and are followed again when it opens.'),
'%n point(s) ≤ 0 are left out':('%n point ≤ 0 skipped','%n points ≤ 0 skipped'),
'%n legal layout(s) that fit, fastest first':('%n layout that fits in memory','%n layouts that fit in memory, fastest first'),
'%n GPU(s) are held back, such as %1.':('%n GPU throttled: %1.','%n GPUs throttled, such as %1.'),
'%n run(s) moved to the trash; Ctrl+Z restores.':('%n run moved to trash; Ctrl+Z restores.','%n runs moved to trash; Ctrl+Z restores.'),
'%n on the front':('%n Pareto-optimal','%n Pareto-optimal'),
'Remove runs older than %n day(s) from the trash…':('Delete runs older than %n day from the trash…','Delete runs older than %n days from the trash…'),
'Run folders that have been in the trash for more than %n day(s) are removed for good.':('Run folders in the trash for more than %n day are deleted permanently.','Run folders in the trash for more than %n days are deleted permanently.')}
def en2(m):
    b=m.group(0); src=re.search(r'<source>(.*?)</source>',b,re.S); t=html.unescape(src.group(1))
    if t not in EN: return b
    q=lambda x: html.escape(x,quote=False)
    b=b.replace(src.group(0),'<source>'+q(new[t])+'</source>')
    it=iter(EN[t])
    return re.sub(r'<numerusform>.*?</numerusform>',lambda _:'<numerusform>'+q(next(it))+'</numerusform>',b,flags=re.S)
p='translations/slipway_en.ts'; s=open(p).read()
s=re.sub(r'<message.*?</message>',en2,s,flags=re.S)
if not dry: open(p,'w').write(s)
