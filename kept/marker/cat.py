# dev tool: extract _text literals, merge Korean from inc + ts + extra
import re,subprocess,html,sys,json,os
sys.path.insert(0,'/tmp/w/marker')
lit=r'"(?:[^"\\]|\\.)*"'
def texts():
    out=set()
    for f in subprocess.check_output("git ls-files -co --exclude-standard core app | grep -E '\\.(h|cpp)$'",shell=True,text=True).split():
        if not os.path.exists(f): continue
        s=open(f).read()
        s=re.sub(r'^\s*//.*$','',s,flags=re.M)
        for m in re.finditer('('+lit+r'(?:\s*'+lit+r')*)_text\b',s):
            out.add(''.join(x[1:-1] for x in re.findall(lit,m.group(1))))
    return out
def unesc(s): return s.replace('\\"','"').replace('\\\\','\\').replace('\\n','\n')
def esc(s): return s.replace('\\','\\\\').replace('"','\\"').replace('\n','\\n')
def inc():
    d={}
    p='translations/korean.inc'
    if os.path.exists(p):
        for a,b in re.findall(r'\{('+lit+r'),\s*('+lit+r')\}',open(p).read()):
            d[a[1:-1]]=b[1:-1]
    return d
def ts(rev='HEAD'):
    t=subprocess.check_output(['git','-C','/work/wt/marker','show','4658d9d:translations/slipway_ko.ts'],text=True)
    d={}
    for m in re.finditer(r'<context>(.*?)</context>',t,re.S):
        name=re.search('<name>(.*?)</name>',m.group(1)).group(1)
        if name not in {'Issue','Field','Unit','Choice','Status','Column','Explanation','Advice','Quantity','Label'}: continue
        for x in re.findall(r'<message(.*?)</message>',m.group(1),re.S):
            s=html.unescape(re.search('<source>(.*?)</source>',x,re.S).group(1)); tr=html.unescape(re.search('<translation[^>]*>(.*?)</translation>',x,re.S).group(1))
            d.setdefault(esc(s),esc(tr))
    return d
def main():
    from reword import REWORD
    T=ts(); rev={b:a for a,b in REWORD.items()}
    have=inc(); have.pop('',None)
    extra={}
    for f in sorted(os.listdir('/tmp/w/marker')):
        if f.startswith('ko_') and f.endswith('.txt'):
            for line in open('/tmp/w/marker/'+f):
                if '\t' in line:
                    a,b=line.rstrip('\n').split('\t'); extra[a]=b
    rows={};missing=[]
    for t in texts()-{''}:
        k=extra.get(t) or have.get(t) or T.get(t) or T.get(rev.get(t,''))
        if k: rows[t]=k
        else: missing.append(t)
    left=[k for k in have if k not in rows]
    with open('translations/korean.inc','w') as o:
        o.write('// English, Korean: one row for each text with the suffix _text, sorted by bytes. A C++ table, so edit with care for commas.\n')
        for k in sorted(rows,key=lambda x:unesc(x).encode()): o.write('{"%s", "%s"},\n'%(k,rows[k]))
    print(len(rows),'rows; dropped',len(left)); print('MISSING',len(missing)); print('\n'.join(sorted(missing)))
if __name__=='__main__': main()
