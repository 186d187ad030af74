import re,sys
lit=r'"(?:[^"\\]|\\.)*"'
lits=lit+r'(?:\s*'+lit+r')*'
PAIR={'{':'}','(':')','[':']'}
def skipstr(s,j):
    if s[j]=='"':
        if s[j-1]=='R':  # raw
            m=re.match(r'"([^(]*)\(',s[j:]); e=s.index(')'+m.group(1)+'"',j); return e+len(m.group(1))+2
        j+=1
        while s[j]!='"':
            if s[j]=='\\': j+=1
            j+=1
        return j+1
    j+=1
    while s[j]!="'":
        if s[j]=='\\': j+=1
        j+=1
    return j+1
def close(s,i):
    st=[];j=i
    while True:
        c=s[j]
        if c=='"' or (c=="'" and not s[j-1].isalnum()): j=skipstr(s,j); continue
        if c in PAIR: st.append(PAIR[c])
        elif c in '})]':
            st.pop()
            if not st: return j
        elif s.startswith('//',j): j=s.index('\n',j)
        j+=1
def split(e,sep):
    out=[];d=0;j=0;b=0;angle=0
    while j<len(e):
        c=e[j]
        if c=='"' or (c=="'" and (j==0 or not e[j-1].isalnum())): j=skipstr(e,j); continue
        if c in PAIR: d+=1
        elif c in '})]': d-=1
        elif c==sep and d==0:
            if sep==',':
                # ignore commas in template args: crude: count < after identifier
                pre=e[b:j]
                if pre.count('<')>pre.count('>')-pre.count('->') and re.search(r'\w<[^<>]*$',pre): j+=1; continue
            if sep=='+' and (e[j+1:j+2] in '+=' or e[j-1] in '+'): j+=1; continue
            out.append(e[b:j]);b=j+1
        j+=1
    out.append(e[b:]); return out
def islit(x): return re.fullmatch(lits,x.strip(),re.S)
def litval(x): return ''.join(y[1:-1] for y in re.findall(lit,x))
def hasq(x):
    d=0;j=0
    while j<len(x):
        c=x[j]
        if c in '"' or (c=="'" and (j==0 or not x[j-1].isalnum())): j=skipstr(x,j);continue
        if c in PAIR:d+=1
        elif c in '})]':d-=1
        elif c=='?' and d==0: return True
        j+=1
    return False
def operand(x):
    x=x.strip()
    m=re.fullmatch(r'std::string\(('+lits+r')\)',x,re.S)
    if m: return ('lit',litval(m.group(1)))
    if islit(x): return ('lit',litval(x))
    m=re.match(r'std::to_string\(',x)
    if m and close(x,m.end()-1)==len(x)-1: return ('arg',x[m.end():-1].strip())
    m=re.match(r'std::string\(',x)
    if m and close(x,m.end()-1)==len(x)-1:
        return ('arg',x)
    return ('arg',x)
def convert(e):
    """returns (new, problem)"""
    e0=e.strip()
    if '_text' in e0: return None,None
    if islit(e0): return e0+'_text',None
    if hasq(e0): return None,'ternary'
    ops=[operand(x) for x in split(e0,'+')]
    if not any(k=='lit' and re.search('[a-zA-Z]{2}',v) for k,v in ops): return None,'nolit' if len(ops)>1 or '"' in e0 else None
    text='';args=[];prob=None
    for k,v in ops:
        if k=='lit': text+=v.replace('%%','%')
        else:
            if v.startswith('(') and close(v,0)==len(v)-1 and hasq(v[1:-1]):
                if '"' in v: prob='inner ternary'
            elif '"' in v and re.search(lit,v) and '?' in v: prob='inner ternary'
            args.append(v); text+='%%%d'%len(args)
    if re.search(r'%[1-9]',''.join(v for k,v in ops if k=='lit')): prob='percent'
    if len(args)>9: prob='many'
    if prob: return None,prob
    return '"'+text+'"_text'+('('+', '.join(args)+')' if args else ''),None
def run(f,funcs):
    s=open(f).read();o=s;pos=0;n=0
    pat=re.compile(r'\b('+'|'.join(funcs)+r')\(')
    while True:
        m=pat.search(s,pos)
        if not m: break
        ls=s.rfind('\n',0,m.start())+1
        if s[ls:m.start()].lstrip().startswith('//'): pos=m.end(); continue
        ob=m.end()-1; cb=close(s,ob); inner=s[ob+1:cb]
        parts=split(inner,',')
        idx=funcs[m.group(1)]
        pos=m.end()
        if idx>=len(parts): continue
        new,prob=convert(parts[idx])
        if prob and '"' in parts[idx]: print(f'{f}:{s.count(chr(10),0,m.start())+1}: {prob}: {" ".join(parts[idx].split())[:160]}')
        if new:
            parts[idx]=re.match(r'\s*',parts[idx]).group(0)+new
            s=s[:ob+1]+','.join(parts)+s[cb:]; n+=1
    if s!=o: open(f,'w').write(s)
    return n
if __name__=='__main__':
    funcs={}
    files=[]
    for a in sys.argv[1:]:
        if '=' in a: k,v=a.split('='); funcs[k]=int(v)
        else: files.append(a)
    print(sum(run(f,funcs) for f in files),'converted')
