import re,html,sys
T="""allocator|할당
attention|어텐션
bandwidth|대역폭
baseline|기준
batch|배치
bubble|버블
bucket|버킷
calibrated|보정
checkpoint|체크포인트
chunk|조각
cluster|클러스터
collective|집합 통신
cost|비용
data parallel|데이터 병렬
device-hours|장치·시간,장치 시간
embedding|임베딩
evaluation|평가
event|이벤트
expert|전문가
expert parallel|전문가 병렬
exposed|노출,가려지지
forecast|예측
gradient|그래디언트
hardware|하드웨어
held-out|검증,제외
hidden size|은닉 크기
host memory|호스트 메모리
kernel|커널
latency|지연
layer|레이어
layout|병렬 구성,구성
learning rate|학습률
logits|로짓
loss scale|손실 스케일
measured|측정,재
memory|메모리
micro-batch|마이크로배치
node|노드
noise scale|노이즈 스케일
offload|오프로드
optimizer|옵티마이저
optimizer state|옵티마이저 상태
Pareto-optimal|파레토 최적
parameters|매개변수,계수
peak|최대,최고
pipeline|파이프라인
pipeline parallel|파이프라인 병렬
plan|계획
rank|랭크
recomputation|재계산
recompute|재계산,다시 계산
router|라우터
schedule|스케줄,일정,방식
sequence|시퀀스
shard|샤드,샤딩,분할,나누,나눕
smooth|스무딩
spike|스파이크
stage|단계
sweep|스윕
tensor parallel|텐서 병렬
textbook|이론값
throughput|처리량
traffic|통신
trash|휴지통
trial|시행
vocabulary|어휘
warm-up|워밍업
weight|가중치"""
rows=[tuple(x.split('|')) for x in T.split('\n')]
cat=[]
lit=r'"((?:[^"\\]|\\.)*)"'
for a,b in re.findall(r'\{'+lit+r',\s*'+lit+r'\}',open('/work/wt/marker/translations/korean.inc').read()): cat.append((a,b))
t=open('/work/wt/marker/translations/slipway_ko.ts').read()
for m in re.findall(r'<message(.*?)</message>',t,re.S):
    s=html.unescape(re.search('<source>(.*?)</source>',m,re.S).group(1)); k=html.unescape(re.search(r'<translation[^>]*>(.*)</translation>',m,re.S).group(1))
    cat.append((s,k))
tot=0
for en,ko in rows:
    ks=ko.split(','); bad=[];n=0
    for s,k in cat:
        # drop field keys
        plain=re.sub(r'`[^`]*`|--?[a-z-]+|[a-z0-9]*[_./=][a-z0-9_./=,]+','',s)
        if re.search(r'(?<![\w-])'+re.escape(en)+r's?(?![\w-])',plain,re.I):
            n+=1
            if not any(x in k for x in ks): bad.append((s,k))
    print(f'{en}|{ko}: {n} uses, {len(bad)} bad'); tot+=len(bad)
    if '-v' in sys.argv:
        for s,k in bad[:6]: print('     ',s[:100],'=>',k[:100].strip())
print(tot)
