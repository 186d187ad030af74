import sys,re
sys.path.insert(0,'/tmp/w/marker')
from concat import *
def run2(f):
    s=open(f).read();o=s;pos=0;n=0
    for_pat=re.compile(r'push_back\(\s*\{(?=(?:Severity::|issue\.severity|severity))')
    while True:
        m=for_pat.search(s,pos)
        if not m: break
        ob=s.index('{',m.start()); cb=close(s,ob); parts=split(s[ob+1:cb],',')
        pos=m.end()
        if len(parts)!=4: print(f,'parts',len(parts)); continue
        new,prob=convert(parts[3])
        if prob and '"' in parts[3]: print(f,prob,' '.join(parts[3].split())[:150])
        if new:
            parts[3]=re.match(r'\s*',parts[3]).group(0)+new
            s=s[:ob]+'issueOf('+','.join(parts)+')'+s[cb+1:]; n+=1
    if s!=o: open(f,'w').write(s)
    print(f,n)
for f in sys.argv[1:]: run2(f)
