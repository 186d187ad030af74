<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ko_KR">
<context>
    <name>Advice</name>
    <message>
        <source>Stage %1 needs %2 per rank and has %3; shard more (tp, pp, zero_stage), recompute, or use a smaller micro-batch.</source>
        <translation>단계 %1에서 랭크마다 메모리 %2 필요한데 용량은 %3입니다. 더 나누거나(tp, pp, zero_stage), 재계산하거나, 마이크로배치를 줄이세요.</translation>
    </message>
    <message>
        <source>The worst rank needs %1 of %2; fragmentation may break it.</source>
        <translation>가장 많이 쓰는 랭크가 %2 중 %1 씁니다. 단편화로 넘칠 수 있습니다.</translation>
    </message>
    <message>
        <source>A node&apos;s memory holds %1 of its %2 ranks and has %3 (%4)</source>
        <translation>노드의 랭크 %2개가 노드 메모리 %1 쓰는데 용량은 %3입니다(%4)</translation>
    </message>
    <message>
        <source>each rank: %1</source>
        <translation>랭크마다 %1</translation>
    </message>
    <message>
        <source>%1; tensors of all: %2</source>
        <translation>%1, 전체 텐서 %2</translation>
    </message>
    <message>
        <source>checkpoint copy %1</source>
        <translation>체크포인트 사본 %1</translation>
    </message>
    <message>
        <source>optimizer %1</source>
        <translation>옵티마이저 %1</translation>
    </message>
    <message>
        <source>activations %1</source>
        <translation>활성값 %1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1; %2 too much: %3.</source>
        <translation>%1. %2 초과했습니다. %3.</translation>
    </message>
    <message>
        <source>offload less, share the states among more ranks (zero_stage, more nodes), or use nodes with more memory</source>
        <translation>오프로드를 줄이거나, 상태를 더 많은 랭크에 나누거나(zero_stage, 노드 추가), 메모리가 더 큰 노드를 쓰세요</translation>
    </message>
    <message>
        <source>share the states among more ranks (zero_stage, more nodes), or use nodes with more memory</source>
        <translation>상태를 더 많은 랭크에 나누거나(zero_stage, 노드 추가) 메모리가 더 큰 노드를 쓰세요</translation>
    </message>
    <message>
        <source>%1; other systems with these devices have less: %2.</source>
        <translation>%1. 같은 장치를 쓰는 다른 시스템은 메모리가 더 작습니다: %2.</translation>
    </message>
    <message>
        <source>%1; the system and the data&apos;s pages need room, too.</source>
        <translation>%1. 운영 체제와 데이터 페이지가 쓸 자리도 필요합니다.</translation>
    </message>
    <message>
        <source>Tensor parallelism over %1 ranks leaves the node of %2 devices; keep tp inside a node and use pp or dp across.</source>
        <translation>랭크 %1개의 텐서 병렬이 장치 %2개인 노드를 벗어납니다. tp는 노드 안에 두고 노드 사이에는 pp나 dp를 쓰세요.</translation>
    </message>
    <message>
        <source>The pipeline is idle %1 of its time with %2 micro-batches over %3 stages; use more micro-batches, fewer stages or interleaving.</source>
        <translation>단계 %3개에 마이크로배치가 %2개라서 파이프라인이 시간의 %1를 쉽니다. 마이크로배치를 늘리거나, 단계를 줄이거나, 교차 배치를 쓰세요.</translation>
    </message>
    <message>
        <source>Idle time is %1 above the formula, because stages or transfers are uneven; give the first and last stage fewer layers.</source>
        <translation>단계나 전송이 고르지 않아 쉬는 시간이 이론값보다 %1 많습니다. 첫 단계와 마지막 단계에 레이어를 적게 두세요.</translation>
    </message>
    <message>
        <source>Only %1 of %2 are used; less recomputation is faster.</source>
        <translation>메모리 %2 중 %1만 씁니다. 재계산을 줄이면 더 빠릅니다.</translation>
    </message>
    <message>
        <source>Only %1 of %2 are used; a larger micro-batch or less sharding may be faster.</source>
        <translation>메모리 %2 중 %1만 씁니다. 마이크로배치를 키우거나 덜 나누면 더 빠를 수 있습니다.</translation>
    </message>
    <message>
        <source>Logits over a vocabulary of %1 take %2 on the last stage; use a smaller micro-batch or more tp.</source>
        <translation>어휘 크기 %1의 로짓이 마지막 단계에서 메모리를 %2 차지합니다. 마이크로배치를 줄이거나 tp를 늘리세요.</translation>
    </message>
    <message>
        <source>Activations are %1 of the worst rank; full recomputation would leave %2 for about a third more compute.</source>
        <translation>가장 많이 쓰는 랭크의 %1가 활성값입니다. 전체 재계산을 쓰면 계산이 3분의 1쯤 늘고 활성값은 %2 남습니다.</translation>
    </message>
    <message>
        <source>Every replica holds all optimizer states; zero_stage 1 frees %1 per rank for the same traffic.</source>
        <translation>복제본마다 옵티마이저 상태를 모두 갖고 있습니다. zero_stage 1이면 같은 통신량으로 랭크마다 메모리가 %1 줄어듭니다.</translation>
    </message>
    <message>
        <source>Gradient reduction is exposed for %1 of a step of %2; use more micro-batches per step, a faster link, or fewer replicas.</source>
        <translation>스텝 %2 중 %1 동안 그래디언트 합산이 가려지지 않습니다. 스텝당 마이크로배치를 늘리거나, 더 빠른 링크를 쓰거나, 복제본을 줄이세요.</translation>
    </message>
    <message>
        <source>Tensor-parallel communication takes %1 of the step; a smaller tp may be faster.</source>
        <translation>텐서 병렬 통신이 스텝의 %1를 차지합니다. tp를 줄이면 더 빠를 수 있습니다.</translation>
    </message>
    <message>
        <source>Tensor-parallel communication takes %1 of the step; async_tp runs it beside the products, or a smaller tp may be faster.</source>
        <translation>텐서 병렬 통신이 스텝의 %1를 차지합니다. async_tp를 쓰면 행렬곱과 겹치며, tp를 줄여도 더 빠를 수 있습니다.</translation>
    </message>
    <message>
        <source>CUDA graphs save %1 of a step of %2, because kernels are longer than their launches, and take %3; switch them off.</source>
        <translation>커널이 실행 요청보다 길어서 CUDA 그래프는 스텝 %2 중 %1만 줄이고 메모리를 %3 씁니다. 끄세요.</translation>
    </message>
    <message>
        <source>Launches of short kernels take %1 of a step of %2; train.cuda_graphs repeats %3 of %4 micro-batches without them, for %5 of memory.</source>
        <translation>짧은 커널의 실행 요청이 스텝 %2 중 %1 차지합니다. train.cuda_graphs를 쓰면 메모리 %5를 들여 마이크로배치 %4개 중 %3개를 실행 요청 없이 반복합니다.</translation>
    </message>
    <message>
        <source>A vocabulary of %1, a multiple of 128 x tp, keeps the head&apos;s products fast.</source>
        <translation>어휘 크기를 128 x tp의 배수인 %1로 하면 출력 헤드의 행렬곱이 빠릅니다.</translation>
    </message>
    <message>
        <source>%1 threads share %2 cores, so ranks wait for each other; speeds compare layouts, not machines.</source>
        <translation>스레드 %1개가 코어 %2개를 함께 써서 랭크가 서로 기다립니다. 이 속도로는 병렬 구성끼리만 비교할 수 있습니다.</translation>
    </message>
    <message>
        <source>%1 of %2 devices stay idle.</source>
        <translation>장치 %2개 중 %1개가 놉니다.</translation>
    </message>
    <message>
        <source>A %1 peak of %2 is a figure with sparsity; dense products of %3 reach %4 at most.</source>
        <translation>%1 최대 성능 %2는 희소성 기준 수치입니다. %3의 밀집 행렬곱은 많아야 %4입니다.</translation>
    </message>
    <message>
        <source>The calibrated stack %1 brings the links it was fitted with, which go before the cluster&apos;s measured curves; take the stack out to plan with them.</source>
        <translation>보정된 스택(%1)은 맞출 때의 링크 값을 함께 가져오며, 이것이 클러스터의 측정 곡선보다 우선합니다. 곡선으로 계획하려면 스택을 빼세요.</translation>
    </message>
    <message>
        <source>%1 of %2 ranks over %3 nodes</source>
        <translation>%1(노드 %3개에 걸친 랭크 %2개)</translation>
    </message>
    <message>
        <source>%1 of %2 ranks in a node</source>
        <translation>%1(노드 안의 랭크 %2개)</translation>
    </message>
    <message>
        <source>The cluster&apos;s links stand in where no curve was measured: %1.</source>
        <translation>측정한 곡선이 없는 집합 통신은 클러스터의 링크 값으로 대신합니다: %1.</translation>
    </message>
    <message>
        <source>The layout needs %1 devices; the cluster has %2. Lower a degree or add nodes.</source>
        <translation>이 병렬 구성에는 장치 %1개가 필요한데 클러스터에는 %2개 있습니다. 병렬 정도를 낮추거나 노드를 늘리세요.</translation>
    </message>
    <message>
        <source>The peak of %1 in %2 is unknown or it has none, so time and MFU cannot be estimated.</source>
        <translation>%1의 %2 최대 성능을 모르거나 지원하지 않아 시간과 MFU를 추정할 수 없습니다.</translation>
    </message>
    <message>
        <source>The config computes on %1; the plan is made for %2.</source>
        <translation>설정은 %1에서 계산하지만 계획의 하드웨어는 %2입니다.</translation>
    </message>
    <message>
        <source>The run has %1 steps and never saves: the interval is %2.</source>
        <translation>실행은 %1스텝인데 간격이 %2이므로 저장하지 않습니다.</translation>
    </message>
    <message>
        <source>%1 micro-batches never fill %2 stages: the pipeline idles %3 of its time.</source>
        <translation>마이크로배치 %1개로는 단계 %2개를 채울 수 없어 파이프라인이 시간의 %3를 쉽니다.</translation>
    </message>
</context>
<context>
    <name>BetterLayouts</name>
    <message>
        <source>dp</source>
        <translation>dp</translation>
    </message>
    <message>
        <source>tp</source>
        <translation>tp</translation>
    </message>
    <message>
        <source>pp</source>
        <translation>pp</translation>
    </message>
    <message>
        <source>cp</source>
        <translation>cp</translation>
    </message>
    <message>
        <source>ZeRO</source>
        <translation>ZeRO</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>마이크로배치</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>스텝 시간</translation>
    </message>
    <message>
        <source>tokens/s/GPU</source>
        <translation>토큰/초/GPU</translation>
    </message>
    <message>
        <source>tokens/s/device</source>
        <translation>토큰/초/장치</translation>
    </message>
    <message>
        <source>Bubble</source>
        <translation>버블</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>메모리</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>차이</translation>
    </message>
    <message>
        <source>this plan</source>
        <translation>현재 계획</translation>
    </message>
</context>
<context>
    <name>Choice</name>
    <message>
        <source>0: nothing sharded</source>
        <translation>0: 나누지 않음</translation>
    </message>
    <message>
        <source>1: optimizer states</source>
        <translation>1: 옵티마이저 상태</translation>
    </message>
    <message>
        <source>2: and gradients</source>
        <translation>2: 그래디언트까지</translation>
    </message>
    <message>
        <source>3: and weights</source>
        <translation>3: 가중치까지</translation>
    </message>
    <message>
        <source>AFAB: all forward, all backward</source>
        <translation>AFAB: 순전파 전체, 역전파 전체</translation>
    </message>
    <message>
        <source>1F1B</source>
        <translation>1F1B</translation>
    </message>
    <message>
        <source>1F1B, interleaved</source>
        <translation>1F1B, 교차 배치</translation>
    </message>
    <message>
        <source>Zero bubble H1</source>
        <translation>제로 버블 H1</translation>
    </message>
    <message>
        <source>Zero bubble V</source>
        <translation>제로 버블 V</translation>
    </message>
    <message>
        <source>DualPipe</source>
        <translation>DualPipe</translation>
    </message>
    <message>
        <source>DualPipe V</source>
        <translation>DualPipe V</translation>
    </message>
    <message>
        <source>None</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>Selective</source>
        <translation>선택적</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>전체</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>예</translation>
    </message>
    <message>
        <source>no</source>
        <translation>아니요</translation>
    </message>
    <message>
        <source>Optimizer states</source>
        <translation>옵티마이저 상태</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>활성값</translation>
    </message>
    <message>
        <source>Optimizer states and activations</source>
        <translation>옵티마이저 상태와 활성값</translation>
    </message>
    <message>
        <source>All frequencies alike</source>
        <translation>모든 주파수를 똑같이</translation>
    </message>
    <message>
        <source>By wavelength (Llama 3.1)</source>
        <translation>파장에 따라(Llama 3.1)</translation>
    </message>
    <message>
        <source>By turns (YaRN)</source>
        <translation>회전 수에 따라(YaRN)</translation>
    </message>
    <message>
        <source>Softmax over all experts</source>
        <translation>모든 전문가에 대한 소프트맥스</translation>
    </message>
    <message>
        <source>Sigmoid of each expert</source>
        <translation>전문가별 시그모이드</translation>
    </message>
    <message>
        <source>One per tensor</source>
        <translation>텐서마다 하나</translation>
    </message>
    <message>
        <source>One per row</source>
        <translation>행마다 하나</translation>
    </message>
    <message>
        <source>e4m3, gradients e5m2</source>
        <translation>e4m3, 그래디언트는 e5m2</translation>
    </message>
    <message>
        <source>e4m3</source>
        <translation>e4m3</translation>
    </message>
    <message>
        <source>Ring</source>
        <translation>링</translation>
    </message>
    <message>
        <source>All-gather</source>
        <translation>올개더</translation>
    </message>
    <message>
        <source>Ulysses (all-to-all)</source>
        <translation>율리시스 (올투올)</translation>
    </message>
    <message>
        <source>Even</source>
        <translation>고르게</translation>
    </message>
    <message>
        <source>Last stage 1 less</source>
        <translation>마지막 단계 레이어 1개 적게</translation>
    </message>
    <message>
        <source>Last stage 2 less</source>
        <translation>마지막 단계 레이어 2개 적게</translation>
    </message>
    <message>
        <source>Both ends 1 less</source>
        <translation>양 끝 레이어 1개씩 적게</translation>
    </message>
    <message>
        <source>Both ends 2 less</source>
        <translation>양 끝 레이어 2개씩 적게</translation>
    </message>
</context>
<context>
    <name>Column</name>
    <message>
        <source>Held-out loss</source>
        <translation>검증 손실</translation>
    </message>
    <message>
        <source>Noise scale</source>
        <translation>노이즈 스케일</translation>
    </message>
    <message>
        <source>GPU clock, slowest rank</source>
        <translation>GPU 클럭(가장 느린 랭크)</translation>
    </message>
    <message>
        <source>GPU power, mean</source>
        <translation>GPU 전력(평균)</translation>
    </message>
    <message>
        <source>GPU temperature, hottest rank</source>
        <translation>GPU 온도(가장 뜨거운 랭크)</translation>
    </message>
    <message>
        <source>GPU memory in use, fullest rank</source>
        <translation>사용 중인 GPU 메모리(가장 많은 랭크)</translation>
    </message>
    <message>
        <source>Share of GPUs held back</source>
        <translation>클럭이 제한된 GPU 비율</translation>
    </message>
    <message>
        <source>GPU memory taken by the allocator</source>
        <translation>할당자가 확보한 GPU 메모리</translation>
    </message>
    <message>
        <source>Allocator retries</source>
        <translation>할당 재시도 횟수</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>ID</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>결과</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>태그</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>메모</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>이유</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>만든 때</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>시작</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>종료</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>랭크</translation>
    </message>
    <message>
        <source>dp</source>
        <translation>dp</translation>
    </message>
    <message>
        <source>tp</source>
        <translation>tp</translation>
    </message>
    <message>
        <source>pp</source>
        <translation>pp</translation>
    </message>
    <message>
        <source>ZeRO</source>
        <translation>ZeRO</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>마이크로배치</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>스텝 시간</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>처리량</translation>
    </message>
    <message>
        <source>MFU</source>
        <translation>MFU</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>메모리</translation>
    </message>
    <message>
        <source>Bubble</source>
        <translation>버블</translation>
    </message>
    <message>
        <source>Bubble, ideal</source>
        <translation>이론 버블</translation>
    </message>
    <message>
        <source>Bubble, simulated</source>
        <translation>모의 버블</translation>
    </message>
    <message>
        <source>Traffic per step</source>
        <translation>스텝당 통신량</translation>
    </message>
    <message>
        <source>Communication time</source>
        <translation>통신 시간</translation>
    </message>
    <message>
        <source>Final loss</source>
        <translation>최종 손실</translation>
    </message>
    <message>
        <source>Lowest loss</source>
        <translation>최저 손실</translation>
    </message>
    <message>
        <source>Last step</source>
        <translation>마지막 스텝</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>손실</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>그래디언트 노름</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>학습률</translation>
    </message>
    <message>
        <source>Accum.</source>
        <translation>누적</translation>
    </message>
    <message>
        <source>tokens/s/device</source>
        <translation>토큰/초/장치</translation>
    </message>
    <message>
        <source>HFU</source>
        <translation>HFU</translation>
    </message>
    <message>
        <source>Training time</source>
        <translation>학습 시간</translation>
    </message>
    <message>
        <source>Device-hours</source>
        <translation>장치·시간</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>비용</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>매개변수</translation>
    </message>
    <message>
        <source>Step: computing</source>
        <translation>스텝: 계산</translation>
    </message>
    <message>
        <source>Step: tensor-parallel traffic</source>
        <translation>스텝: 텐서 병렬 통신</translation>
    </message>
    <message>
        <source>Step: context-parallel traffic</source>
        <translation>스텝: 컨텍스트 병렬 통신</translation>
    </message>
    <message>
        <source>Step: expert-parallel traffic</source>
        <translation>스텝: 전문가 병렬 통신</translation>
    </message>
    <message>
        <source>Step: pipeline traffic</source>
        <translation>스텝: 파이프라인 통신</translation>
    </message>
    <message>
        <source>Step: pipeline bubble</source>
        <translation>스텝: 파이프라인 버블</translation>
    </message>
    <message>
        <source>Step: data-parallel traffic</source>
        <translation>스텝: 데이터 병렬 통신</translation>
    </message>
    <message>
        <source>Step: optimizer</source>
        <translation>스텝: 옵티마이저</translation>
    </message>
    <message>
        <source>Step: fixed costs</source>
        <translation>스텝: 고정 비용</translation>
    </message>
    <message>
        <source>Memory: weights</source>
        <translation>메모리: 가중치</translation>
    </message>
    <message>
        <source>Memory: gradients</source>
        <translation>메모리: 그래디언트</translation>
    </message>
    <message>
        <source>Memory: optimizer states</source>
        <translation>메모리: 옵티마이저 상태</translation>
    </message>
    <message>
        <source>Memory: activations</source>
        <translation>메모리: 활성값</translation>
    </message>
    <message>
        <source>Memory: logits</source>
        <translation>메모리: 로짓</translation>
    </message>
    <message>
        <source>Memory: buffers</source>
        <translation>메모리: 버퍼</translation>
    </message>
    <message>
        <source>Memory: reserve</source>
        <translation>메모리: 예비</translation>
    </message>
    <message>
        <source>Step: saved by CUDA graphs</source>
        <translation>스텝: CUDA 그래프로 줄어든 시간</translation>
    </message>
    <message>
        <source>Memory: CUDA graphs</source>
        <translation>메모리: CUDA 그래프</translation>
    </message>
    <message>
        <source>Host memory: activations</source>
        <translation>호스트 메모리: 활성값</translation>
    </message>
    <message>
        <source>Host memory of a node</source>
        <translation>노드의 호스트 메모리</translation>
    </message>
    <message>
        <source>Host memory of a node: tensors</source>
        <translation>노드의 호스트 메모리: 텐서</translation>
    </message>
    <message>
        <source>Host memory that a node has</source>
        <translation>노드가 갖춘 호스트 메모리</translation>
    </message>
    <message>
        <source>Host memory: optimizer states</source>
        <translation>호스트 메모리: 옵티마이저 상태</translation>
    </message>
    <message>
        <source>Host memory: checkpoint copy</source>
        <translation>호스트 메모리: 체크포인트 사본</translation>
    </message>
    <message>
        <source>Host memory, worst rank</source>
        <translation>호스트 메모리, 가장 많이 쓰는 랭크</translation>
    </message>
    <message>
        <source>Held-out loss, last</source>
        <translation>마지막 검증 손실</translation>
    </message>
    <message>
        <source>MFU by rule A</source>
        <translation>규칙 A의 MFU</translation>
    </message>
    <message>
        <source>MFU by rule B</source>
        <translation>규칙 B의 MFU</translation>
    </message>
    <message>
        <source>MFU by rule D</source>
        <translation>규칙 D의 MFU</translation>
    </message>
    <message>
        <source>HFU by rule A</source>
        <translation>규칙 A의 HFU</translation>
    </message>
    <message>
        <source>HFU by rule B</source>
        <translation>규칙 B의 HFU</translation>
    </message>
    <message>
        <source>HFU by rule D</source>
        <translation>규칙 D의 HFU</translation>
    </message>
    <message>
        <source>FLOPs per token</source>
        <translation>토큰당 FLOPs</translation>
    </message>
    <message>
        <source>FLOPs per token by rule A</source>
        <translation>규칙 A의 토큰당 FLOPs</translation>
    </message>
    <message>
        <source>FLOPs per token by rule B</source>
        <translation>규칙 B의 토큰당 FLOPs</translation>
    </message>
    <message>
        <source>FLOPs per token by rule D</source>
        <translation>규칙 D의 토큰당 FLOPs</translation>
    </message>
    <message>
        <source>FLOPs per token, with recomputation</source>
        <translation>토큰당 FLOPs(재계산 포함)</translation>
    </message>
    <message>
        <source>FLOPs per token by rule A, with recomputation</source>
        <translation>규칙 A의 토큰당 FLOPs(재계산 포함)</translation>
    </message>
    <message>
        <source>FLOPs per token by rule B, with recomputation</source>
        <translation>규칙 B의 토큰당 FLOPs(재계산 포함)</translation>
    </message>
    <message>
        <source>FLOPs per token by rule D, with recomputation</source>
        <translation>규칙 D의 토큰당 FLOPs(재계산 포함)</translation>
    </message>
    <message>
        <source>Memory of a rank</source>
        <translation>랭크 하나의 메모리</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>체크포인트</translation>
    </message>
    <message>
        <source>Parameters: embedding</source>
        <translation>매개변수: 임베딩</translation>
    </message>
    <message>
        <source>Parameters: attention</source>
        <translation>매개변수: 어텐션</translation>
    </message>
    <message>
        <source>Parameters: feed-forward</source>
        <translation>매개변수: 피드포워드</translation>
    </message>
    <message>
        <source>Parameters: norms</source>
        <translation>매개변수: 정규화</translation>
    </message>
    <message>
        <source>Parameters: output head</source>
        <translation>매개변수: 출력 헤드</translation>
    </message>
    <message>
        <source>Parameters: router</source>
        <translation>매개변수: 라우터</translation>
    </message>
    <message>
        <source>Parameters a token passes</source>
        <translation>토큰 하나가 지나는 매개변수</translation>
    </message>
    <message>
        <source>Parameters in matrix products</source>
        <translation>행렬 곱의 매개변수</translation>
    </message>
</context>
<context>
    <name>CompareData</name>
    <message>
        <source>Configuration</source>
        <translation>설정</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>결과</translation>
    </message>
    <message>
        <source>%1, forecast</source>
        <translation>%1, 예측</translation>
    </message>
    <message>
        <source>%1: its config.json cannot be read.</source>
        <translation>%1: config.json을 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>What the forecasts rest on</source>
        <translation>예측의 근거</translation>
    </message>
</context>
<context>
    <name>ConfigChange</name>
    <message>
        <source>default</source>
        <translation>기본값</translation>
    </message>
    <message>
        <source>%1 %2 → %3</source>
        <translation>%1 %2 → %3</translation>
    </message>
</context>
<context>
    <name>Explanation</name>
    <message>
        <source>0: train.cuda_graphs is off</source>
        <translation>0: train.cuda_graphs가 꺼져 있습니다</translation>
    </message>
    <message>
        <source>0: the bundled trainer captures no graph of this layout</source>
        <translation>0: 포함된 트레이너는 이 병렬 구성의 그래프를 잡지 않습니다</translation>
    </message>
    <message>
        <source>0: on a CPU nothing leaves the device for the host</source>
        <translation>0: CPU에서는 장치에서 호스트로 옮기는 것이 없습니다</translation>
    </message>
    <message>
        <source>0: parallel.offload leaves the optimizer&apos;s states on the device</source>
        <translation>0: parallel.offload가 옵티마이저 상태를 장치에 둡니다</translation>
    </message>
    <message>
        <source>0: parallel.offload leaves activations on the device</source>
        <translation>0: parallel.offload가 활성값을 장치에 둡니다</translation>
    </message>
    <message>
        <source>0: parallel.offload keeps the optimizer&apos;s state in the memory of the host</source>
        <translation>0: parallel.offload가 옵티마이저 상태를 호스트 메모리에 둡니다</translation>
    </message>
    <message>
        <source>0: checkpoint.every_steps writes no checkpoints</source>
        <translation>0: checkpoint.every_steps에 따라 체크포인트를 쓰지 않습니다</translation>
    </message>
    <message>
        <source>0: the tensors of the ranks stand in the memory of their devices</source>
        <translation>0: 랭크의 텐서는 장치 메모리에 있습니다</translation>
    </message>
    <message>
        <source>0: nothing is reserved beside the tensors of this device</source>
        <translation>0: 이 장치에서는 텐서 말고 따로 잡아 두는 메모리가 없습니다</translation>
    </message>
    <message>
        <source>0: the output head is the embedding&apos;s matrix</source>
        <translation>0: 출력 헤드가 임베딩 행렬을 함께 씁니다</translation>
    </message>
    <message>
        <source>0: parallel.cp is 1</source>
        <translation>0: parallel.cp가 1입니다</translation>
    </message>
    <message>
        <source>0: the model has no experts</source>
        <translation>0: 모델에 전문가가 없습니다</translation>
    </message>
    <message>
        <source>0: parallel.ep is 1, so every rank has all experts</source>
        <translation>0: parallel.ep가 1이므로 랭크마다 모든 전문가를 갖습니다</translation>
    </message>
    <message>
        <source>0: one stage sends nothing</source>
        <translation>0: 단계가 하나이면 보낼 것이 없습니다</translation>
    </message>
    <message>
        <source>0: one stage has nothing to wait for</source>
        <translation>0: 단계가 하나이면 기다릴 것이 없습니다</translation>
    </message>
    <message>
        <source>1 - sum over ranks of their passes / (parallel.pp * length of the schedule)</source>
        <translation>1 - 랭크별 계산 시간의 합 / (파이프라인 병렬(pp) × 파이프라인 일정의 길이)</translation>
    </message>
    <message>
        <source>sum over all collectives of a step of what one of n ranks sends: all-reduce 2 (n - 1) / n S, gather and scatter (n - 1) / n S, message S</source>
        <translation>한 스텝의 모든 집합 통신에서 랭크 n개 중 하나가 보내는 양의 합: 올리듀스 2 (n - 1) / n S, 올개더와 리듀스스캐터 (n - 1) / n S, 메시지 S</translation>
    </message>
    <message>
        <source>sum over all collectives of a step, hidden or not, of hops * latency + sent bytes / bandwidth; mean over the pipeline ranks</source>
        <translation>한 스텝의 모든 집합 통신(가려진 것도 포함)에 대한 홉 수 × 지연 + 전송량 / 대역폭의 합. 파이프라인 랭크들의 평균</translation>
    </message>
    <message>
        <source>what the backward pass of the last micro-batch does not hide of gradient_seconds, at least the last bucket, and weight_seconds after the optimizer</source>
        <translation>그래디언트 통신 시간 중 마지막 마이크로배치의 역전파가 가리지 못하는 부분(적어도 마지막 버킷) + 옵티마이저 뒤의 가중치 통신 시간</translation>
    </message>
    <message>
        <source>definition</source>
        <translation>정의</translation>
    </message>
    <message>
        <source>textbook</source>
        <translation>교과서</translation>
    </message>
    <message>
        <source>calibrated</source>
        <translation>보정</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>측정</translation>
    </message>
    <message>
        <source>%1 efficiencies</source>
        <translation>%1 효율</translation>
    </message>
    <message>
        <source>parts of the busiest pipeline rank, %1 efficiencies</source>
        <translation>가장 바쁜 파이프라인 랭크의 구성 요소, %1 효율</translation>
    </message>
    <message>
        <source>the cluster&apos;s own figure</source>
        <translation>클러스터에 직접 적은 값</translation>
    </message>
    <message>
        <source>the bundled trainer</source>
        <translation>포함된 트레이너</translation>
    </message>
    <message>
        <source>the bundled trainer (trainer/pipeline/micro_batch_graph.h)</source>
        <translation>포함된 트레이너(trainer/pipeline/micro_batch_graph.h)</translation>
    </message>
    <message>
        <source>largest over the pipeline ranks, here rank %1</source>
        <translation>파이프라인 랭크 중 가장 큰 값이며 여기서는 랭크 %1입니다</translation>
    </message>
    <message>
        <source>without failures and waiting</source>
        <translation>장애와 대기 시간은 넣지 않습니다</translation>
    </message>
    <message>
        <source>the ranks of a node share its CPU, which counts once</source>
        <translation>한 노드의 랭크들은 CPU를 함께 쓰므로 하나로 셉니다</translation>
    </message>
    <message>
        <source>price of the plan&apos;s hardware</source>
        <translation>계획에 쓰인 하드웨어의 요금</translation>
    </message>
    <message>
        <source>the hardware has no price</source>
        <translation>하드웨어의 요금을 모릅니다</translation>
    </message>
    <message>
        <source>a layer: FLOPs over the reachable peak, elementwise bytes over the reachable bandwidth (roofline, Williams 2009, CACM 52(4))</source>
        <translation>레이어: FLOPs를 도달 가능한 최대 성능으로, 원소별 연산의 바이트를 도달 가능한 대역폭으로 나눕니다(루프라인, Williams 2009, CACM 52(4))</translation>
    </message>
    <message>
        <source>what the passes do not hide of the copies of activations to the host and back: vDNN, Rhu 2016, arXiv 1602.08124, sec. 3.2</source>
        <translation>활성값을 호스트로 옮기고 되가져오는 복사 중 순전파와 역전파가 가리지 못하는 부분: vDNN, Rhu 2016, arXiv 1602.08124, 3.2절</translation>
    </message>
    <message>
        <source>idle units of a schedule, in works of one micro-batch: (p - 1) / v for 1F1B and its relatives, Narayanan 2021, arXiv 2104.04473, sec. 2.2</source>
        <translation>파이프라인 방식의 유휴 단위(마이크로배치 하나의 일 기준): 1F1B 계열은 (p - 1) / v, Narayanan 2021, arXiv 2104.04473, 2.2절</translation>
    </message>
    <message>
        <source>zero bubble: Qi 2023, arXiv 2401.10241</source>
        <translation>제로 버블: Qi 2023, arXiv 2401.10241</translation>
    </message>
    <message>
        <source>the schedule played pass by pass with this plan&apos;s unequal stages and transfers; the drawing shows it</source>
        <translation>이 계획의 고르지 않은 단계와 전송을 반영해 일정을 한 패스씩 모의한 값입니다. 그림에서 볼 수 있습니다</translation>
    </message>
    <message>
        <source>ring algorithms: Patarasuk 2009, J. Parallel Distrib. Comput. 69(2); the trainer counts the same way</source>
        <translation>링 알고리즘: Patarasuk 2009, J. Parallel Distrib. Comput. 69(2). 트레이너도 같은 방법으로 셉니다</translation>
    </message>
    <message>
        <source>alpha-beta model of ring algorithms: Thakur 2005, Int. J. High Perform. Comput. Appl. 19(1)</source>
        <translation>링 알고리즘의 알파-베타 모형: Thakur 2005, Int. J. High Perform. Comput. Appl. 19(1)</translation>
    </message>
    <message>
        <source>messages between stages run beside the passes and have no seconds here</source>
        <translation>단계 사이의 메시지는 계산과 함께 진행되므로 여기서는 시간을 세지 않습니다</translation>
    </message>
    <message>
        <source>length of the schedule, played pass by pass with free transfers, less the passes of the busiest rank</source>
        <translation>전송 시간 없이 한 패스씩 모의한 일정의 길이에서 가장 바쁜 랭크의 계산 시간을 뺀 값입니다</translation>
    </message>
    <message>
        <source>length of the schedule, played pass by pass, with transfers less its length without them</source>
        <translation>한 패스씩 모의한 일정에서 전송이 있을 때와 없을 때의 길이 차이입니다</translation>
    </message>
    <message>
        <source>announcements of messages in each slot of the schedule, and where the network of the calibrated software stack stalls (docs/validation.md)</source>
        <translation>일정의 슬롯마다 메시지를 알리는 시간과, 보정된 소프트웨어 스택의 네트워크가 정체되는 시간입니다(docs/validation.md)</translation>
    </message>
    <message>
        <source>bucketed overlap: Li 2020 (PyTorch DDP), arXiv 2006.15704, sec. 3.2.3</source>
        <translation>버킷 단위 겹치기: Li 2020(PyTorch DDP), arXiv 2006.15704, 3.2.3절</translation>
    </message>
    <message>
        <source>ZeRO traffic: arXiv 1910.02054, sec. 7</source>
        <translation>ZeRO 통신량: arXiv 1910.02054, 7절</translation>
    </message>
    <message>
        <source>per collective hops * latency + sent bytes / bandwidth</source>
        <translation>집합 통신마다 홉 수 × 지연 + 전송량 / 대역폭</translation>
    </message>
    <message>
        <source>operations of a layer: Shoeybi 2019, arXiv 1909.08053, sec. 3; with sequence parallelism Korthikanti 2022, arXiv 2205.05198, sec. 4.2.2</source>
        <translation>레이어의 연산: Shoeybi 2019, arXiv 1909.08053, 3절. 시퀀스 병렬은 Korthikanti 2022, arXiv 2205.05198, 4.2.2절</translation>
    </message>
    <message>
        <source>hidden beside (tp - 1) / tp of the products, already subtracted: Wang 2022, doi 10.1145/3567955.3567959, sec. 3</source>
        <translation>행렬곱의 (tp - 1) / tp와 겹쳐 가려진 시간은 이미 뺐습니다: Wang 2022, doi 10.1145/3567955.3567959, 3절</translation>
    </message>
    <message>
        <source>keys and values pass every rank; the exchange runs beside the attention, which hides up to half of the pass: ring attention, Liu 2023, arXiv 2310.01889</source>
        <translation>키와 값이 모든 랭크를 돕니다. 이 교환은 어텐션과 함께 진행되며 어텐션이 패스의 절반까지 가립니다: 링 어텐션, Liu 2023, arXiv 2310.01889</translation>
    </message>
    <message>
        <source>four all-to-alls a layer and direction: DeepSpeed-Ulysses, Jacobs 2023, arXiv 2309.14509</source>
        <translation>레이어와 방향마다 올투올 4번: DeepSpeed-Ulysses, Jacobs 2023, arXiv 2309.14509</translation>
    </message>
    <message>
        <source>keys and values are gathered, their gradients scattered: Llama 3, arXiv 2407.21783, sec. 3.3.2</source>
        <translation>키와 값은 올개더로 모으고 그 그래디언트는 리듀스스캐터로 나눕니다: Llama 3, arXiv 2407.21783, 3.3.2절</translation>
    </message>
    <message>
        <source>tokens go to their experts and back, forward and backward: all-to-all, Lepikhin 2020 (GShard), arXiv 2006.16668, sec. 3.2</source>
        <translation>순전파와 역전파에서 토큰이 전문가에게 갔다가 돌아옵니다: 올투올, Lepikhin 2020(GShard), arXiv 2006.16668, 3.2절</translation>
    </message>
    <message>
        <source>the update reads and writes gradients, moments and weights of the rank&apos;s shard at the memory&apos;s usable bandwidth</source>
        <translation>갱신은 랭크가 나누어 맡은 그래디언트, 모멘트, 가중치를 실효 메모리 대역폭으로 읽고 씁니다</translation>
    </message>
    <message>
        <source>norm, clipping and clearing pass over all of its gradients</source>
        <translation>노름 계산, 자르기, 비우기는 랭크의 그래디언트 전체를 지나갑니다</translation>
    </message>
    <message>
        <source>Muon&apos;s products are in update_seconds (Jordan et al. 2024)</source>
        <translation>Muon의 행렬곱은 갱신 시간에 들어 있습니다(Jordan et al. 2024)</translation>
    </message>
    <message>
        <source>offloaded, update_seconds are the copies to the host and back and the update there: ZeRO-Offload, Ren 2021, arXiv 2101.06840</source>
        <translation>오프로드하면 갱신 시간은 호스트와 주고받는 복사와 호스트에서의 갱신입니다: ZeRO-Offload, Ren 2021, arXiv 2101.06840</translation>
    </message>
    <message>
        <source>data, logging and synchronisation once a step</source>
        <translation>스텝마다 한 번 드는 데이터, 기록, 동기화 시간</translation>
    </message>
    <message>
        <source>micro-batches between the first and the last are one launch each, so a kernel shorter than its launch takes its own time (Gray, Getting Started with CUDA Graphs, NVIDIA 2019: 0.5 us from kernel to kernel)</source>
        <translation>첫 번째와 마지막 사이의 마이크로배치는 각각 한 번에 실행을 요청하므로, 실행 요청보다 짧은 커널은 제 시간만 걸립니다(Gray, Getting Started with CUDA Graphs, NVIDIA 2019: 커널 사이 0.5 us)</translation>
    </message>
    <message>
        <source>the links of the calibrated stack %1 go before the cluster&apos;s curves</source>
        <translation>보정된 스택 %1의 링크 값이 클러스터의 곡선보다 우선합니다</translation>
    </message>
    <message>
        <source>%1 by the link, no curve is of such a group</source>
        <translation>%1: 이런 그룹의 곡선이 없어 링크 값을 씁니다</translation>
    </message>
    <message>
        <source>%1 by the curve of %2</source>
        <translation>%1: %2의 곡선을 씁니다</translation>
    </message>
    <message>
        <source>%1 by the curve of %2, the nearest size, at its latency per hop</source>
        <translation>%1: 크기가 가장 가까운 %2의 곡선을 그 홉당 지연으로 씁니다</translation>
    </message>
    <message>
        <source>%1 between the curves of %2 and of %3</source>
        <translation>%1: 두 곡선(%2, %3) 사이의 값을 씁니다</translation>
    </message>
    <message>
        <source>%1, with its part of a node&apos;s cards</source>
        <translation>%1(노드의 네트워크 카드 중 제 몫만)</translation>
    </message>
    <message>
        <source>%1 ranks in one node</source>
        <translation>노드 하나의 랭크 %1개</translation>
    </message>
    <message>
        <source>%1 ranks, %2 a node</source>
        <translation>노드당 %2개씩 랭크 %1개</translation>
    </message>
    <message>
        <source>%1 ranks in one node (%2)</source>
        <translation>노드 하나의 랭크 %1개(%2)</translation>
    </message>
    <message>
        <source>%1 ranks, %2 a node (%3)</source>
        <translation>노드당 %2개씩 랭크 %1개(%3)</translation>
    </message>
    <message>
        <source>model FLOPs utilisation: Chowdhery 2022 (PaLM), arXiv 2204.02311, appendix B</source>
        <translation>모델 FLOPs 이용률(MFU): Chowdhery 2022(PaLM), arXiv 2204.02311, 부록 B</translation>
    </message>
    <message>
        <source>hardware FLOPs utilisation, with what is recomputed: Chowdhery 2022 (PaLM), arXiv 2204.02311, appendix B</source>
        <translation>재계산을 포함한 하드웨어 FLOPs 이용률(HFU): Chowdhery 2022(PaLM), arXiv 2204.02311, 부록 B</translation>
    </message>
    <message>
        <source>FLOPs by rule %1</source>
        <translation>FLOPs는 규칙 %1</translation>
    </message>
    <message>
        <source>dense peak of all devices: %1</source>
        <translation>모든 장치의 밀집 최대 성능: %1</translation>
    </message>
    <message>
        <source>rule %1: %2</source>
        <translation>규칙 %1: %2</translation>
    </message>
    <message>
        <source>6 N + full attention (PaLM, llm-foundry, nanotron)</source>
        <translation>6 N + 전체 어텐션(PaLM, llm-foundry, nanotron)</translation>
    </message>
    <message>
        <source>6 (N - input embedding) + full attention (torchtitan, NeMo 24)</source>
        <translation>6 (N - 입력 임베딩) + 전체 어텐션(torchtitan, NeMo 24)</translation>
    </message>
    <message>
        <source>6 (N - input embedding) + causal attention (Megatron today, llm.c)</source>
        <translation>6 (N - 입력 임베딩) + 인과 어텐션(지금의 Megatron, llm.c)</translation>
    </message>
    <message>
        <source>with full recomputation counted (Megatron 2021, BLOOM)</source>
        <translation>전체 재계산까지 셉니다(Megatron 2021, BLOOM)</translation>
    </message>
    <message>
        <source>Narayanan 2021, arXiv 2104.04473, eq. 3</source>
        <translation>Narayanan 2021, arXiv 2104.04473, 식 3</translation>
    </message>
    <message>
        <source>Narayanan 2021, arXiv 2104.04473, eq. 3, attention counted causally</source>
        <translation>Narayanan 2021, arXiv 2104.04473, 식 3, 어텐션은 인과로 셉니다</translation>
    </message>
    <message>
        <source>Chowdhery 2022, arXiv 2204.02311, appendix B</source>
        <translation>Chowdhery 2022, arXiv 2204.02311, 부록 B</translation>
    </message>
    <message>
        <source>rule D counts full recomputation already; of other recomputation it says nothing</source>
        <translation>규칙 D는 전체 재계산을 이미 세며, 다른 재계산에 대해서는 정하지 않습니다</translation>
    </message>
    <message>
        <source>full recomputation is the whole forward pass once more, so HFU is 4/3 of MFU, as llm-foundry prints it; selective: the attention core forward</source>
        <translation>전체 재계산은 순전파를 통째로 한 번 더 하므로 HFU는 llm-foundry가 출력하는 대로 MFU의 4/3입니다. 선택적 재계산은 어텐션 핵심부의 순전파입니다</translation>
    </message>
    <message>
        <source>full recomputation runs the layers forward once more, without the output head; selective: the attention core forward (Korthikanti 2022, arXiv 2205.05198, app. A, prints the attention core&apos;s whole cost once more)</source>
        <translation>전체 재계산은 출력 헤드를 뺀 레이어의 순전파를 한 번 더 합니다. 선택적 재계산은 어텐션 핵심부의 순전파입니다(Korthikanti 2022, arXiv 2205.05198, 부록 A는 어텐션 핵심부의 비용 전체를 한 번 더 셉니다)</translation>
    </message>
    <message>
        <source>the tensors a rank holds at its fullest moment</source>
        <translation>랭크의 메모리가 가장 많이 차는 순간의 텐서</translation>
    </message>
    <message>
        <source>bytes per parameter as the bundled trainer stores them (policy %1)</source>
        <translation>매개변수당 바이트는 포함된 트레이너가 저장하는 대로입니다(정책 %1)</translation>
    </message>
    <message>
        <source>bytes per parameter as the calibrated software stack stores them (policy %1)</source>
        <translation>매개변수당 바이트는 보정된 소프트웨어 스택이 저장하는 대로입니다(정책 %1)</translation>
    </message>
    <message>
        <source>ZeRO: Rajbhandari 2020, arXiv 1910.02054, fig. 1</source>
        <translation>ZeRO: Rajbhandari 2020, arXiv 1910.02054, 그림 1</translation>
    </message>
    <message>
        <source>Muon keeps one moment of a hidden matrix (Jordan et al. 2024)</source>
        <translation>Muon은 은닉 행렬의 모멘트를 하나만 둡니다(Jordan et al. 2024)</translation>
    </message>
    <message>
        <source>parallel.offload: one layer computes while its neighbour&apos;s activations are copied to the host or back, for all micro-batches in flight; vDNN, Rhu 2016, arXiv 1602.08124, sec. 3.1</source>
        <translation>parallel.offload: 한 레이어가 계산하는 동안 옆 레이어의 활성값을 호스트와 주고받으며, 진행 중인 모든 마이크로배치에 해당합니다. vDNN, Rhu 2016, arXiv 1602.08124, 3.1절</translation>
    </message>
    <message>
        <source>layer (the mean, where only some recompute): tensor by tensor as the bundled trainer saves them (compare Korthikanti 2022, arXiv 2205.05198, table 2)</source>
        <translation>레이어(일부만 재계산하면 평균): 포함된 트레이너가 저장하는 텐서를 하나씩 셉니다(Korthikanti 2022, arXiv 2205.05198, 표 2와 비교)</translation>
    </message>
    <message>
        <source>layer (the mean, where only some recompute): bytes per token that runs of the calibrated software stack showed</source>
        <translation>레이어(일부만 재계산하면 평균): 보정된 소프트웨어 스택의 실행에서 나타난 토큰당 바이트입니다</translation>
    </message>
    <message>
        <source>micro-batches kept: counted in the schedule&apos;s list of passes</source>
        <translation>보관하는 마이크로배치 수: 파이프라인 일정의 패스 목록에서 셉니다</translation>
    </message>
    <message>
        <source>final norm, logits and their softmax on the last stage, as the trainer or the calibrated stack holds them</source>
        <translation>마지막 단계의 최종 정규화, 로짓, 소프트맥스를 트레이너나 보정된 스택이 보관하는 대로 셉니다</translation>
    </message>
    <message>
        <source>0 where a layer&apos;s backward needs more at another moment</source>
        <translation>다른 순간에 레이어의 역전파가 더 많이 쓰면 0입니다</translation>
    </message>
    <message>
        <source>workspace: the largest temporaries beside activations and logits at the fullest moment, be it a layer&apos;s backward pass (with gathered weights and gradients of ZeRO-2 and 3), the loss, or the optimizer; float8 copies of weights</source>
        <translation>작업 공간: 메모리가 가장 많이 차는 순간에 활성값과 로짓 말고 가장 큰 임시 메모리입니다. 그 순간은 레이어의 역전파(ZeRO-2와 3에서 모은 가중치와 그래디언트 포함), 손실, 옵티마이저 중 하나이며, 가중치의 float8 사본도 들어갑니다</translation>
    </message>
    <message>
        <source>calibrated: what runs of the software stack held beside their tensors</source>
        <translation>보정: 소프트웨어 스택의 실행이 텐서 말고 잡아 둔 메모리입니다</translation>
    </message>
    <message>
        <source>textbook: context, libraries and communicators of a GPU, and what its allocator cannot give back</source>
        <translation>교과서: GPU의 컨텍스트, 라이브러리, 통신자와 할당자가 돌려주지 못하는 메모리입니다</translation>
    </message>
    <message>
        <source>calibrated: up to which forecast runs of the software stack ran</source>
        <translation>보정: 소프트웨어 스택의 실행이 이 예측값까지 돌았습니다</translation>
    </message>
    <message>
        <source>the ranks of a node share its memory</source>
        <translation>한 노드의 랭크들은 메모리를 함께 씁니다</translation>
    </message>
    <message>
        <source>a captured graph keeps the memory of its passes for itself: activations, logits and workspace of one micro-batch stand twice, there and for the first and last micro-batch (CUDA graphs of libtorch: a private pool); counted in memory.buffer_bytes</source>
        <translation>잡아 둔 그래프는 제 순전파와 역전파의 메모리를 따로 갖습니다. 마이크로배치 하나의 활성값, 로짓, 작업 공간이 그래프와 첫·마지막 마이크로배치에 한 번씩, 두 번 있게 됩니다(libtorch의 CUDA 그래프: 전용 풀). 버퍼 메모리에 넣어 셉니다</translation>
    </message>
    <message>
        <source>what one rank keeps in its node&apos;s memory beside the device&apos;s: the copy that a checkpoint is written from, and what parallel.offload moves there (ZeRO-Offload: Ren 2021, arXiv 2101.06840; vDNN: Rhu 2016, arXiv 1602.08124)</source>
        <translation>랭크 하나가 장치 말고 노드의 메모리에 두는 것: 체크포인트를 쓰는 사본과 parallel.offload가 옮기는 것입니다(ZeRO-Offload: Ren 2021, arXiv 2101.06840, vDNN: Rhu 2016, arXiv 1602.08124)</translation>
    </message>
    <message>
        <source>the bundled trainer copies the part of the states that a rank writes to host memory and writes it from there</source>
        <translation>포함된 트레이너는 랭크가 쓸 상태의 몫을 호스트 메모리에 복사한 뒤 거기서 씁니다</translation>
    </message>
    <message>
        <source>each element is written once, by one of the ranks that have it (compare CheckFreq: Mohan 2021, USENIX FAST)</source>
        <translation>원소마다 그것을 가진 랭크 중 하나가 한 번만 씁니다(CheckFreq: Mohan 2021, USENIX FAST와 비교)</translation>
    </message>
    <message>
        <source>parallel.offload: the bundled trainer updates on the host, where master weights and moments stand, or the weights themselves where they have no wider copy (ZeRO-Offload: Ren 2021, arXiv 2101.06840, sec. 3)</source>
        <translation>parallel.offload: 포함된 트레이너는 마스터 가중치와 모멘트, 더 넓은 사본이 없으면 가중치 자체가 있는 호스트에서 갱신합니다(ZeRO-Offload: Ren 2021, arXiv 2101.06840, 3절)</translation>
    </message>
    <message>
        <source>sharded from ZeRO stage 1 on (Rajbhandari 2020, arXiv 1910.02054, fig. 1)</source>
        <translation>ZeRO 1단계부터 나누어 갖습니다(Rajbhandari 2020, arXiv 1910.02054, 그림 1)</translation>
    </message>
    <message>
        <source>parallel.offload: what blocks keep for their backward passes is copied to the host while the next block computes, and stands there for all micro-batches in flight (vDNN: Rhu 2016, arXiv 1602.08124, sec. 3.1)</source>
        <translation>parallel.offload: 블록이 역전파를 위해 보관하는 것을 다음 블록이 계산하는 동안 호스트로 복사하며, 진행 중인 모든 마이크로배치의 것이 호스트에 있습니다(vDNN: Rhu 2016, arXiv 1602.08124, 3.1절)</translation>
    </message>
    <message>
        <source>node_ranks: the run&apos;s ranks, dealt to cluster.num_nodes nodes, the fullest of them</source>
        <translation>노드의 랭크 수: 실행의 랭크를 cluster.num_nodes개 노드에 나눌 때 가장 많이 맡는 노드의 수입니다</translation>
    </message>
    <message>
        <source>node_ranks: one a device, at most cluster.devices_per_node and the run&apos;s ranks</source>
        <translation>노드의 랭크 수: 장치마다 하나이며 cluster.devices_per_node와 실행의 랭크 수를 넘지 않습니다</translation>
    </message>
    <message>
        <source>what all ranks of one node keep in its memory beside their devices&apos;, each as much as the rank that needs most</source>
        <translation>한 노드의 모든 랭크가 장치 말고 노드의 메모리에 두는 것이며, 랭크마다 가장 많이 쓰는 랭크만큼으로 셉니다</translation>
    </message>
    <message>
        <source>on a CPU the tensors stand in the node&apos;s memory, too, each rank&apos;s as large as the fullest one&apos;s</source>
        <translation>CPU에서는 텐서도 노드의 메모리에 있으며, 랭크마다 가장 많이 쓰는 랭크만큼으로 셉니다</translation>
    </message>
    <message>
        <source>%1 as listed in %2: %3</source>
        <translation>%1 (%2 기준): %3</translation>
    </message>
    <message>
        <source>unknown: the library lists no system with this device</source>
        <translation>알 수 없음: 이 장치를 쓰는 시스템이 목록에 없습니다</translation>
    </message>
    <message>
        <source>counted tensor by tensor; the presets&apos; counts are checked against the published ones</source>
        <translation>텐서를 하나씩 셉니다. 프리셋의 값은 공개된 수와 맞추어 확인했습니다</translation>
    </message>
    <message>
        <source>one row per token; learned positions have one row each, rotary ones have none</source>
        <translation>토큰마다 한 행입니다. 학습되는 위치는 위치마다 한 행, 회전 위치는 없습니다</translation>
    </message>
    <message>
        <source>compressed queries and key-values: DeepSeek-V2, arXiv 2405.04434, sec. 2.1</source>
        <translation>압축한 쿼리와 키-값: DeepSeek-V2, arXiv 2405.04434, 2.1절</translation>
    </message>
    <message>
        <source>query and output h q each, keys and values h kv each, with their biases; grouped: Ainslie 2023, arXiv 2305.13245</source>
        <translation>쿼리와 출력은 각각 h q, 키와 값은 각각 h kv이며 편향을 더합니다. 그룹 쿼리: Ainslie 2023, arXiv 2305.13245</translation>
    </message>
    <message>
        <source>two matrices h f, or three where the activation is gated (Shazeer 2020, arXiv 2002.05202), with their biases; of a mixture all experts</source>
        <translation>h f 크기의 행렬 두 개, 게이트가 있는 활성 함수이면 세 개(Shazeer 2020, arXiv 2002.05202)이며 편향을 더합니다. MoE는 모든 전문가를 셉니다</translation>
    </message>
    <message>
        <source>two norms a layer and one at the end: h each, 2 h where they have a bias</source>
        <translation>레이어마다 정규화 두 개와 마지막에 하나: 각각 h, 편향이 있으면 2 h입니다</translation>
    </message>
    <message>
        <source>h per expert, and one bias each where the router balances without a loss (DeepSeek-V3, arXiv 2412.19437, sec. 2.1.2)</source>
        <translation>전문가마다 h이며, 라우터가 손실 없이 부하를 맞추면 편향이 하나씩 더 있습니다(DeepSeek-V3, arXiv 2412.19437, 2.1.2절)</translation>
    </message>
    <message>
        <source>what one token passes: of a layer&apos;s experts the router takes model.moe.top_k</source>
        <translation>토큰 하나가 지나는 매개변수입니다. 라우터는 레이어의 전문가 중 model.moe.top_k개를 고릅니다</translation>
    </message>
    <message>
        <source>the N of FLOPs rules B and C: weights of the matrix products one token passes, the output head once; without embedding lookup, norms and biases</source>
        <translation>FLOPs 규칙 B와 C의 N: 토큰 하나가 지나는 행렬곱의 가중치이며 출력 헤드는 한 번 셉니다. 임베딩 조회, 정규화, 편향은 뺍니다</translation>
    </message>
    <message>
        <source>what the bundled trainer writes: each element of the state once, weights in the format they are updated in, and the optimizer&apos;s moments</source>
        <translation>포함된 트레이너가 쓰는 것: 상태의 원소마다 한 번, 갱신에 쓰는 형식의 가중치와 옵티마이저의 모멘트입니다</translation>
    </message>
    <message>
        <source>%1; %2</source>
        <translation>%1. %2</translation>
    </message>
</context>
<context>
    <name>Field</name>
    <message>
        <source>Format version</source>
        <translation>형식 버전</translation>
    </message>
    <message>
        <source>Version of this format.</source>
        <translation>이 형식의 버전입니다.</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>Name for people.</source>
        <translation>사람이 알아볼 이름입니다.</translation>
    </message>
    <message>
        <source>Family</source>
        <translation>계열</translation>
    </message>
    <message>
        <source>Block design; the fields norm, activation, position and bias override parts of it.</source>
        <translation>블록 설계입니다. norm, activation, position, bias 항목이 그 일부를 바꿉니다.</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>레이어 수</translation>
    </message>
    <message>
        <source>Transformer blocks.</source>
        <translation>트랜스포머 블록 수입니다.</translation>
    </message>
    <message>
        <source>Hidden size</source>
        <translation>은닉 크기</translation>
    </message>
    <message>
        <source>Width of the residual stream.</source>
        <translation>잔차 스트림의 너비입니다.</translation>
    </message>
    <message>
        <source>Feed-forward size</source>
        <translation>피드포워드 크기</translation>
    </message>
    <message>
        <source>Width of the feed-forward layer.</source>
        <translation>피드포워드 층의 너비입니다.</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>헤드 수</translation>
    </message>
    <message>
        <source>Query heads.</source>
        <translation>쿼리 헤드 수입니다.</translation>
    </message>
    <message>
        <source>Key-value heads</source>
        <translation>KV 헤드 수</translation>
    </message>
    <message>
        <source>Key-value heads (grouped-query attention); default: as many as query heads.</source>
        <translation>키-값 헤드 수(그룹 쿼리 어텐션)입니다. 기본값은 쿼리 헤드 수와 같습니다.</translation>
    </message>
    <message>
        <source>Head size</source>
        <translation>헤드 크기</translation>
    </message>
    <message>
        <source>Width of one head; default: hidden_size / num_heads.</source>
        <translation>헤드 하나의 너비입니다. 기본값은 hidden_size / num_heads입니다.</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>어휘 크기</translation>
    </message>
    <message>
        <source>Entries of the vocabulary.</source>
        <translation>어휘의 항목 수입니다.</translation>
    </message>
    <message>
        <source>Longest sequence</source>
        <translation>최대 시퀀스 길이</translation>
    </message>
    <message>
        <source>Longest sequence; the size of a learned position table.</source>
        <translation>가장 긴 시퀀스이며, 학습되는 위치 표의 크기입니다.</translation>
    </message>
    <message>
        <source>Tied embeddings</source>
        <translation>임베딩 공유</translation>
    </message>
    <message>
        <source>The output head uses the input embedding&apos;s matrix.</source>
        <translation>출력층이 입력 임베딩의 행렬을 함께 씁니다.</translation>
    </message>
    <message>
        <source>Normalisation</source>
        <translation>정규화</translation>
    </message>
    <message>
        <source>Normalisation layer; default: the family&apos;s.</source>
        <translation>정규화 층입니다. 기본값은 계열을 따릅니다.</translation>
    </message>
    <message>
        <source>Normalisation epsilon</source>
        <translation>정규화 엡실론</translation>
    </message>
    <message>
        <source>Added to the variance before the root.</source>
        <translation>제곱근을 구하기 전에 분산에 더하는 값입니다.</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>활성 함수</translation>
    </message>
    <message>
        <source>Feed-forward activation; default: the family&apos;s.</source>
        <translation>피드포워드 활성 함수입니다. 기본값은 계열을 따릅니다.</translation>
    </message>
    <message>
        <source>Positions</source>
        <translation>위치 정보</translation>
    </message>
    <message>
        <source>Position information; default: the family&apos;s.</source>
        <translation>위치 정보 방식입니다. 기본값은 계열을 따릅니다.</translation>
    </message>
    <message>
        <source>RoPE base</source>
        <translation>RoPE 밑</translation>
    </message>
    <message>
        <source>Base of the rotary frequencies.</source>
        <translation>회전 주파수의 밑입니다.</translation>
    </message>
    <message>
        <source>Rotary width</source>
        <translation>회전 너비</translation>
    </message>
    <message>
        <source>Values of a head that turn with the position (GLM-4.5, GPT-NeoX); default: all.</source>
        <translation>헤드에서 위치에 따라 회전하는 값의 수입니다(GLM-4.5, GPT-NeoX). 기본값은 전부입니다.</translation>
    </message>
    <message>
        <source>RoPE scaling</source>
        <translation>RoPE 확장</translation>
    </message>
    <message>
        <source>Which frequencies are slowed.</source>
        <translation>어떤 주파수를 늦출지 정합니다.</translation>
    </message>
    <message>
        <source>RoPE scaling factor</source>
        <translation>RoPE 확장 배율</translation>
    </message>
    <message>
        <source>By how much: the longest sequence over the original one.</source>
        <translation>늦추는 정도로, 원래 길이에 대한 최대 시퀀스 길이의 비입니다.</translation>
    </message>
    <message>
        <source>Original longest sequence</source>
        <translation>원래 최대 시퀀스</translation>
    </message>
    <message>
        <source>Longest sequence before the scaling.</source>
        <translation>확장하기 전의 최대 시퀀스 길이입니다.</translation>
    </message>
    <message>
        <source>Low-frequency factor</source>
        <translation>저주파 기준</translation>
    </message>
    <message>
        <source>Wavelengths above original_max_seq_len over this are slowed in full.</source>
        <translation>original_max_seq_len을 이 값으로 나눈 것보다 긴 파장은 모두 늦춥니다.</translation>
    </message>
    <message>
        <source>High-frequency factor</source>
        <translation>고주파 기준</translation>
    </message>
    <message>
        <source>Wavelengths below original_max_seq_len over this stay.</source>
        <translation>original_max_seq_len을 이 값으로 나눈 것보다 짧은 파장은 그대로 둡니다.</translation>
    </message>
    <message>
        <source>YaRN fast turns</source>
        <translation>YaRN 빠른 회전 수</translation>
    </message>
    <message>
        <source>Frequencies with more turns in original_max_seq_len stay.</source>
        <translation>original_max_seq_len 안에서 이보다 많이 도는 주파수는 그대로 둡니다.</translation>
    </message>
    <message>
        <source>YaRN slow turns</source>
        <translation>YaRN 느린 회전 수</translation>
    </message>
    <message>
        <source>Frequencies with fewer turns in original_max_seq_len are slowed in full.</source>
        <translation>original_max_seq_len 안에서 이보다 적게 도는 주파수는 모두 늦춥니다.</translation>
    </message>
    <message>
        <source>YaRN magnitude</source>
        <translation>YaRN 크기</translation>
    </message>
    <message>
        <source>Magnitude of the turned values, over that of all values; 0: not stated.</source>
        <translation>회전한 값의 크기를 전체 값의 크기로 나눈 것입니다. 0이면 정하지 않은 것입니다.</translation>
    </message>
    <message>
        <source>YaRN magnitude, all values</source>
        <translation>YaRN 크기(전체 값)</translation>
    </message>
    <message>
        <source>Magnitude of all values of latent attention; 0: not stated.</source>
        <translation>잠재 어텐션의 모든 값의 크기입니다. 0이면 정하지 않은 것입니다.</translation>
    </message>
    <message>
        <source>Biases</source>
        <translation>편향</translation>
    </message>
    <message>
        <source>Linear layers have biases; default: the family&apos;s.</source>
        <translation>선형 층에 편향을 둡니다. 기본값은 계열을 따릅니다.</translation>
    </message>
    <message>
        <source>QKV biases</source>
        <translation>QKV 편향</translation>
    </message>
    <message>
        <source>Query, key and value projections have biases (Qwen2); default: as bias.</source>
        <translation>쿼리, 키, 값 투영에 편향을 둡니다(Qwen2). 기본값은 bias와 같습니다.</translation>
    </message>
    <message>
        <source>QK normalisation</source>
        <translation>QK 정규화</translation>
    </message>
    <message>
        <source>Normalise queries and keys per head.</source>
        <translation>쿼리와 키를 헤드마다 정규화합니다.</translation>
    </message>
    <message>
        <source>Sliding window</source>
        <translation>슬라이딩 윈도</translation>
    </message>
    <message>
        <source>Attention sees only the last tokens.</source>
        <translation>어텐션이 마지막 토큰들만 봅니다.</translation>
    </message>
    <message>
        <source>MLA query rank</source>
        <translation>MLA 쿼리 랭크</translation>
    </message>
    <message>
        <source>Rank of the query compression; 0 means no compression.</source>
        <translation>쿼리 압축의 랭크입니다. 0이면 압축하지 않습니다.</translation>
    </message>
    <message>
        <source>MLA key-value rank</source>
        <translation>MLA 키-값 랭크</translation>
    </message>
    <message>
        <source>Rank of the key-value compression.</source>
        <translation>키-값 압축의 랭크입니다.</translation>
    </message>
    <message>
        <source>MLA head, no positions</source>
        <translation>MLA 헤드(위치 없음)</translation>
    </message>
    <message>
        <source>Part of a query/key head without rotary position.</source>
        <translation>쿼리/키 헤드에서 회전 위치가 없는 부분입니다.</translation>
    </message>
    <message>
        <source>MLA head, rotary</source>
        <translation>MLA 헤드(회전)</translation>
    </message>
    <message>
        <source>Part of a query/key head with rotary position, shared by all key heads.</source>
        <translation>쿼리/키 헤드에서 회전 위치가 있는 부분이며, 모든 키 헤드가 함께 씁니다.</translation>
    </message>
    <message>
        <source>MLA value head</source>
        <translation>MLA 값 헤드</translation>
    </message>
    <message>
        <source>Width of a value head.</source>
        <translation>값 헤드의 너비입니다.</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>전문가 수</translation>
    </message>
    <message>
        <source>Routed experts per MoE layer.</source>
        <translation>MoE 층마다 라우팅되는 전문가 수입니다.</translation>
    </message>
    <message>
        <source>Shared experts</source>
        <translation>공유 전문가 수</translation>
    </message>
    <message>
        <source>Experts that every token passes.</source>
        <translation>모든 토큰이 지나는 전문가 수입니다.</translation>
    </message>
    <message>
        <source>Experts per token</source>
        <translation>토큰당 전문가 수</translation>
    </message>
    <message>
        <source>Routed experts each token is sent to.</source>
        <translation>토큰 하나를 보내는 라우팅 전문가 수입니다.</translation>
    </message>
    <message>
        <source>Expert size</source>
        <translation>전문가 크기</translation>
    </message>
    <message>
        <source>Width of one expert&apos;s feed-forward layer.</source>
        <translation>전문가 하나의 피드포워드 층 너비입니다.</translation>
    </message>
    <message>
        <source>Dense layers</source>
        <translation>밀집 레이어 수</translation>
    </message>
    <message>
        <source>First layers that stay dense.</source>
        <translation>밀집 상태로 두는 앞쪽 레이어 수입니다.</translation>
    </message>
    <message>
        <source>Balance loss weight</source>
        <translation>균형 손실 가중치</translation>
    </message>
    <message>
        <source>Weight of the load-balancing loss of each sequence and layer.</source>
        <translation>시퀀스와 층마다 더하는 부하 균형 손실의 가중치입니다.</translation>
    </message>
    <message>
        <source>Routing bias step</source>
        <translation>라우팅 편향 조정 폭</translation>
    </message>
    <message>
        <source>Balance without a loss: each step adds this to the routing bias of experts with few tokens and takes it from the others; 0 switches it off.</source>
        <translation>손실 없이 부하를 맞춥니다. 매 스텝 토큰이 적은 전문가의 라우팅 편향에 이 값을 더하고 나머지에서는 뺍니다. 0이면 사용하지 않습니다.</translation>
    </message>
    <message>
        <source>Router z-loss weight</source>
        <translation>라우터 z 손실 가중치</translation>
    </message>
    <message>
        <source>Weight of the squared log-sum-exp of the router&apos;s logits.</source>
        <translation>라우터 로짓의 log-sum-exp를 제곱한 값의 가중치입니다.</translation>
    </message>
    <message>
        <source>Normalise expert weights</source>
        <translation>전문가 가중치 정규화</translation>
    </message>
    <message>
        <source>The weights of a token&apos;s chosen experts are scaled to sum to 1.</source>
        <translation>토큰이 고른 전문가들의 가중치를 합이 1이 되게 맞춥니다.</translation>
    </message>
    <message>
        <source>Router score</source>
        <translation>라우터 점수</translation>
    </message>
    <message>
        <source>How the router&apos;s logits become the weights of experts.</source>
        <translation>라우터 로짓을 전문가 가중치로 바꾸는 방법입니다.</translation>
    </message>
    <message>
        <source>Routed scale</source>
        <translation>라우팅 배율</translation>
    </message>
    <message>
        <source>Factor of the routed experts&apos; sum (DeepSeek-V3: 2.5).</source>
        <translation>라우팅된 전문가 합에 곱하는 값입니다(DeepSeek-V3: 2.5).</translation>
    </message>
    <message>
        <source>Expert groups</source>
        <translation>전문가 그룹</translation>
    </message>
    <message>
        <source>Groups of equally many experts among which a token first chooses; 1: no groups.</source>
        <translation>토큰이 먼저 고르는, 같은 크기의 전문가 그룹 수입니다. 1이면 그룹이 없습니다.</translation>
    </message>
    <message>
        <source>Groups per token</source>
        <translation>토큰당 그룹</translation>
    </message>
    <message>
        <source>Groups from which a token&apos;s experts are taken.</source>
        <translation>토큰의 전문가를 뽑는 그룹 수입니다.</translation>
    </message>
    <message>
        <source>CUDA graphs</source>
        <translation>CUDA 그래프</translation>
    </message>
    <message>
        <source>Micro-batches after the first are replayed as one CUDA graph, without a launch for each kernel.</source>
        <translation>첫 마이크로배치 다음부터는 커널마다 실행을 지시하지 않고 CUDA 그래프 하나로 재생합니다.</translation>
    </message>
    <message>
        <source>Sequence length</source>
        <translation>시퀀스 길이</translation>
    </message>
    <message>
        <source>Tokens per sequence.</source>
        <translation>시퀀스당 토큰 수입니다.</translation>
    </message>
    <message>
        <source>Global batch</source>
        <translation>전역 배치 크기</translation>
    </message>
    <message>
        <source>Sequences per optimizer step over all ranks.</source>
        <translation>모든 랭크를 합쳐 옵티마이저 한 스텝에 쓰는 시퀀스 수입니다.</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>마이크로배치 크기</translation>
    </message>
    <message>
        <source>Sequences one rank processes at once.</source>
        <translation>랭크 하나가 한 번에 처리하는 시퀀스 수입니다.</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>스텝 수</translation>
    </message>
    <message>
        <source>Optimizer steps.</source>
        <translation>옵티마이저 스텝 수입니다.</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>정밀도</translation>
    </message>
    <message>
        <source>Number format of weights and activations.</source>
        <translation>가중치와 활성값의 숫자 형식입니다.</translation>
    </message>
    <message>
        <source>Gradient format</source>
        <translation>그래디언트 형식</translation>
    </message>
    <message>
        <source>Number format of the main gradients.</source>
        <translation>주 그래디언트의 숫자 형식입니다.</translation>
    </message>
    <message>
        <source>Recomputation</source>
        <translation>재계산</translation>
    </message>
    <message>
        <source>Which activations are computed again in the backward pass.</source>
        <translation>역전파에서 다시 계산할 활성값입니다.</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>Where ranks compute.</source>
        <translation>랭크가 계산하는 곳입니다.</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>시드</translation>
    </message>
    <message>
        <source>Seed of initialisation and data order.</source>
        <translation>초기화와 데이터 순서의 시드입니다.</translation>
    </message>
    <message>
        <source>Threads per rank</source>
        <translation>랭크당 스레드 수</translation>
    </message>
    <message>
        <source>CPU threads of one rank.</source>
        <translation>랭크 하나의 CPU 스레드 수입니다.</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>옵티마이저</translation>
    </message>
    <message>
        <source>Optimizer.</source>
        <translation>옵티마이저 종류입니다.</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>학습률</translation>
    </message>
    <message>
        <source>Highest learning rate.</source>
        <translation>가장 높은 학습률입니다.</translation>
    </message>
    <message>
        <source>Beta 1</source>
        <translation>베타 1</translation>
    </message>
    <message>
        <source>Decay of the first moment.</source>
        <translation>1차 모멘트의 감쇠율입니다.</translation>
    </message>
    <message>
        <source>Beta 2</source>
        <translation>베타 2</translation>
    </message>
    <message>
        <source>Decay of the second moment.</source>
        <translation>2차 모멘트의 감쇠율입니다.</translation>
    </message>
    <message>
        <source>Epsilon</source>
        <translation>엡실론</translation>
    </message>
    <message>
        <source>Added to the root of the second moment.</source>
        <translation>2차 모멘트의 제곱근에 더하는 값입니다.</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>가중치 감쇠</translation>
    </message>
    <message>
        <source>Decoupled weight decay of matrices (norms and biases have none).</source>
        <translation>행렬에 적용하는 분리형 가중치 감쇠입니다(정규화와 편향에는 없음).</translation>
    </message>
    <message>
        <source>Gradient clipping</source>
        <translation>그래디언트 자르기</translation>
    </message>
    <message>
        <source>Largest global gradient norm; 0 switches clipping off.</source>
        <translation>전역 그래디언트 노름의 최댓값입니다. 0이면 자르지 않습니다.</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>파이프라인 방식</translation>
    </message>
    <message>
        <source>Shape of the learning rate over steps.</source>
        <translation>스텝에 따른 학습률의 모양입니다.</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>워밍업</translation>
    </message>
    <message>
        <source>Steps of linear warm-up.</source>
        <translation>선형 워밍업 스텝 수입니다.</translation>
    </message>
    <message>
        <source>Decay</source>
        <translation>감쇠 구간</translation>
    </message>
    <message>
        <source>Last steps, over which the rate falls.</source>
        <translation>학습률이 내려가는 마지막 스텝 수입니다.</translation>
    </message>
    <message>
        <source>Decay shape</source>
        <translation>감쇠 모양</translation>
    </message>
    <message>
        <source>How the rate falls.</source>
        <translation>학습률이 내려가는 방식입니다.</translation>
    </message>
    <message>
        <source>Final rate ratio</source>
        <translation>최종 학습률 비율</translation>
    </message>
    <message>
        <source>Final rate as a fraction of lr.</source>
        <translation>lr에 대한 최종 학습률의 비율입니다.</translation>
    </message>
    <message>
        <source>Data parallel (dp)</source>
        <translation>데이터 병렬(dp)</translation>
    </message>
    <message>
        <source>Data parallel: replicas that share the batch.</source>
        <translation>데이터 병렬: 배치를 나누어 갖는 복제본 수입니다.</translation>
    </message>
    <message>
        <source>Tensor parallel (tp)</source>
        <translation>텐서 병렬(tp)</translation>
    </message>
    <message>
        <source>Tensor parallel: each matrix is split.</source>
        <translation>텐서 병렬: 행렬 하나하나를 나눕니다.</translation>
    </message>
    <message>
        <source>Pipeline parallel (pp)</source>
        <translation>파이프라인 병렬(pp)</translation>
    </message>
    <message>
        <source>Pipeline parallel: layers are split into stages.</source>
        <translation>파이프라인 병렬: 레이어를 단계로 나눕니다.</translation>
    </message>
    <message>
        <source>Context parallel (cp)</source>
        <translation>컨텍스트 병렬(cp)</translation>
    </message>
    <message>
        <source>Context parallel: each sequence is split.</source>
        <translation>컨텍스트 병렬: 시퀀스 하나하나를 나눕니다.</translation>
    </message>
    <message>
        <source>Expert parallel (ep)</source>
        <translation>전문가 병렬(ep)</translation>
    </message>
    <message>
        <source>Expert parallel, folded over the dense grid.</source>
        <translation>밀집 격자 위에 접어 넣은 전문가 병렬입니다.</translation>
    </message>
    <message>
        <source>Expert tensor parallel (etp)</source>
        <translation>전문가 텐서 병렬(etp)</translation>
    </message>
    <message>
        <source>Tensor parallel inside an expert.</source>
        <translation>전문가 안의 텐서 병렬입니다.</translation>
    </message>
    <message>
        <source>ZeRO stage</source>
        <translation>ZeRO 단계</translation>
    </message>
    <message>
        <source>What data-parallel ranks shard: 0 nothing, 1 optimizer states, 2 and gradients, 3 and weights.</source>
        <translation>데이터 병렬 랭크가 나누어 갖는 것입니다. 0은 없음, 1은 옵티마이저 상태, 2는 그래디언트까지, 3은 가중치까지입니다.</translation>
    </message>
    <message>
        <source>Shard group</source>
        <translation>분할 그룹</translation>
    </message>
    <message>
        <source>Ranks that shard together (HSDP); default: all of dp.</source>
        <translation>함께 나누어 갖는 랭크 수(HSDP)입니다. 기본값은 dp 전체입니다.</translation>
    </message>
    <message>
        <source>Order of forward and backward passes in the pipeline.</source>
        <translation>파이프라인에서 순전파와 역전파의 순서입니다.</translation>
    </message>
    <message>
        <source>Chunks per rank</source>
        <translation>랭크당 조각 수</translation>
    </message>
    <message>
        <source>Model chunks per pipeline rank.</source>
        <translation>파이프라인 랭크마다 맡는 모델 조각 수입니다.</translation>
    </message>
    <message>
        <source>Layers per stage</source>
        <translation>단계별 레이어 수</translation>
    </message>
    <message>
        <source>Blocks of each stage in model order; default: even.</source>
        <translation>모델 순서대로 단계마다 두는 블록 수입니다. 기본값은 고르게 나눕니다.</translation>
    </message>
    <message>
        <source>Sequence parallel</source>
        <translation>시퀀스 병렬</translation>
    </message>
    <message>
        <source>Shard activations between tensor-parallel regions along the sequence (Korthikanti 2022).</source>
        <translation>텐서 병렬 구간 사이의 활성값을 시퀀스 방향으로 나눕니다(Korthikanti 2022).</translation>
    </message>
    <message>
        <source>Context exchange</source>
        <translation>컨텍스트 교환 방식</translation>
    </message>
    <message>
        <source>How context-parallel ranks exchange keys and values.</source>
        <translation>컨텍스트 병렬 랭크가 키와 값을 주고받는 방식입니다.</translation>
    </message>
    <message>
        <source>Reshard after forward</source>
        <translation>순전파 뒤 다시 분할</translation>
    </message>
    <message>
        <source>Free gathered weights after the forward pass.</source>
        <translation>순전파가 끝나면 모은 가중치를 비웁니다.</translation>
    </message>
    <message>
        <source>Reduction format</source>
        <translation>합산 형식</translation>
    </message>
    <message>
        <source>Number format of gradient reduction.</source>
        <translation>그래디언트 합산의 숫자 형식입니다.</translation>
    </message>
    <message>
        <source>Overlap reduction</source>
        <translation>합산 겹치기</translation>
    </message>
    <message>
        <source>Reduce gradient buckets while the backward pass goes on.</source>
        <translation>역전파가 진행되는 동안 그래디언트 버킷을 합산합니다.</translation>
    </message>
    <message>
        <source>Bucket size</source>
        <translation>버킷 크기</translation>
    </message>
    <message>
        <source>Size of one gradient bucket.</source>
        <translation>그래디언트 버킷 하나의 크기입니다.</translation>
    </message>
    <message>
        <source>Offload</source>
        <translation>오프로드</translation>
    </message>
    <message>
        <source>What is kept in host memory.</source>
        <translation>호스트 메모리에 두는 것입니다.</translation>
    </message>
    <message>
        <source>Rank order</source>
        <translation>랭크 순서</translation>
    </message>
    <message>
        <source>Axes from the innermost (neighbouring ranks) outwards.</source>
        <translation>가장 안쪽(이웃한 랭크)부터 바깥쪽으로 나열한 축입니다.</translation>
    </message>
    <message>
        <source>Token file</source>
        <translation>토큰 파일</translation>
    </message>
    <message>
        <source>Token file made by `slipway corpus`; a relative path is looked up in the corpora folder.</source>
        <translation>`slipway corpus`로 만든 토큰 파일입니다. 상대 경로는 corpora 폴더에서 찾습니다.</translation>
    </message>
    <message>
        <source>Ignored token</source>
        <translation>무시할 토큰</translation>
    </message>
    <message>
        <source>Targets with this id carry no loss.</source>
        <translation>이 번호의 목표 토큰은 손실에 넣지 않습니다.</translation>
    </message>
    <message>
        <source>End of a document</source>
        <translation>문서 끝 토큰</translation>
    </message>
    <message>
        <source>Token that ends a document; attention does not look into the documents before it. Default: it does.</source>
        <translation>문서를 끝내는 토큰입니다. 어텐션은 그 앞의 문서를 보지 않습니다. 기본값: 봅니다.</translation>
    </message>
    <message>
        <source>Checkpoint interval</source>
        <translation>체크포인트 간격</translation>
    </message>
    <message>
        <source>Steps between checkpoints; 0 writes none but the one asked for by stop.</source>
        <translation>체크포인트 사이의 스텝 수입니다. 0이면 중지할 때 요청한 것만 씁니다.</translation>
    </message>
    <message>
        <source>Checkpoints kept</source>
        <translation>보관할 체크포인트</translation>
    </message>
    <message>
        <source>Newest complete checkpoints to keep.</source>
        <translation>보관할 최신 완성 체크포인트 수입니다.</translation>
    </message>
    <message>
        <source>Kept for good</source>
        <translation>영구 보관</translation>
    </message>
    <message>
        <source>Checkpoints of steps that are a multiple of this stay for good; 0 keeps the newest alone.</source>
        <translation>이 값의 배수인 스텝의 체크포인트는 계속 보관됩니다. 0이면 최신 것만 보관합니다.</translation>
    </message>
    <message>
        <source>Write in the background</source>
        <translation>백그라운드 쓰기</translation>
    </message>
    <message>
        <source>Training goes on while a checkpoint is written from a copy in host memory.</source>
        <translation>호스트 메모리의 사본에서 체크포인트를 쓰는 동안 학습을 계속합니다.</translation>
    </message>
    <message>
        <source>Start from</source>
        <translation>시작 지점</translation>
    </message>
    <message>
        <source>Folder a new run starts from: a checkpoint or the run that wrote it, in any layout (it goes on at that step), or Hugging Face weights (from step 0).</source>
        <translation>새 실행이 시작하는 폴더입니다. 어떤 배치로 쓴 것이든 체크포인트나 그 실행이면 그 스텝에서 이어지고, Hugging Face 가중치이면 스텝 0에서 시작합니다.</translation>
    </message>
    <message>
        <source>Span interval</source>
        <translation>구간 기록 간격</translation>
    </message>
    <message>
        <source>Steps between records of timed spans per rank; 0 records none.</source>
        <translation>랭크별 시간 구간을 기록하는 스텝 간격입니다. 0이면 기록하지 않습니다.</translation>
    </message>
    <message>
        <source>Device name</source>
        <translation>장치 이름</translation>
    </message>
    <message>
        <source>Name as the vendor writes it.</source>
        <translation>제조사가 쓰는 이름입니다.</translation>
    </message>
    <message>
        <source>Device kind</source>
        <translation>장치 종류</translation>
    </message>
    <message>
        <source>Kind of device.</source>
        <translation>장치의 종류입니다.</translation>
    </message>
    <message>
        <source>fp64 peak</source>
        <translation>fp64 최대 성능</translation>
    </message>
    <message>
        <source>Dense fp64 peak.</source>
        <translation>밀집 fp64 최대 성능입니다.</translation>
    </message>
    <message>
        <source>fp32 peak</source>
        <translation>fp32 최대 성능</translation>
    </message>
    <message>
        <source>Dense fp32 peak.</source>
        <translation>밀집 fp32 최대 성능입니다.</translation>
    </message>
    <message>
        <source>tf32 peak</source>
        <translation>tf32 최대 성능</translation>
    </message>
    <message>
        <source>Dense tf32 peak.</source>
        <translation>밀집 tf32 최대 성능입니다.</translation>
    </message>
    <message>
        <source>bf16 peak</source>
        <translation>bf16 최대 성능</translation>
    </message>
    <message>
        <source>Dense bf16 peak.</source>
        <translation>밀집 bf16 최대 성능입니다.</translation>
    </message>
    <message>
        <source>fp16 peak</source>
        <translation>fp16 최대 성능</translation>
    </message>
    <message>
        <source>Dense fp16 peak.</source>
        <translation>밀집 fp16 최대 성능입니다.</translation>
    </message>
    <message>
        <source>fp8 peak</source>
        <translation>fp8 최대 성능</translation>
    </message>
    <message>
        <source>Dense fp8 peak.</source>
        <translation>밀집 fp8 최대 성능입니다.</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>메모리</translation>
    </message>
    <message>
        <source>Memory as the driver reports it.</source>
        <translation>드라이버가 알려 주는 메모리 크기입니다.</translation>
    </message>
    <message>
        <source>Memory bandwidth</source>
        <translation>메모리 대역폭</translation>
    </message>
    <message>
        <source>Memory bandwidth.</source>
        <translation>메모리 대역폭입니다.</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>전력</translation>
    </message>
    <message>
        <source>Board power.</source>
        <translation>보드 전력입니다.</translation>
    </message>
    <message>
        <source>Price</source>
        <translation>요금</translation>
    </message>
    <message>
        <source>Price of one device for one hour; unknown stays unknown.</source>
        <translation>장치 하나의 시간당 요금입니다. 모르면 모르는 채로 둡니다.</translation>
    </message>
    <message>
        <source>Currency</source>
        <translation>통화</translation>
    </message>
    <message>
        <source>Currency of the price.</source>
        <translation>요금의 통화입니다.</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>출처</translation>
    </message>
    <message>
        <source>Where the figures come from.</source>
        <translation>수치의 출처입니다.</translation>
    </message>
    <message>
        <source>Source date</source>
        <translation>출처 날짜</translation>
    </message>
    <message>
        <source>Date of the source.</source>
        <translation>출처의 날짜입니다.</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>노드 수</translation>
    </message>
    <message>
        <source>Nodes.</source>
        <translation>노드 수입니다.</translation>
    </message>
    <message>
        <source>Devices per node</source>
        <translation>노드당 장치 수</translation>
    </message>
    <message>
        <source>Devices in one node; on a CPU node: ranks it hosts.</source>
        <translation>노드 하나의 장치 수입니다. CPU 노드에서는 그 위에서 도는 랭크 수입니다.</translation>
    </message>
    <message>
        <source>Link inside a node</source>
        <translation>노드 안 대역폭</translation>
    </message>
    <message>
        <source>Bandwidth per device and direction.</source>
        <translation>장치 하나의 방향별 대역폭입니다.</translation>
    </message>
    <message>
        <source>Latency inside a node</source>
        <translation>노드 안 지연</translation>
    </message>
    <message>
        <source>Time of an empty message.</source>
        <translation>빈 메시지에 걸리는 시간입니다.</translation>
    </message>
    <message>
        <source>Link between nodes</source>
        <translation>노드 간 대역폭</translation>
    </message>
    <message>
        <source>Latency between nodes</source>
        <translation>노드 간 지연</translation>
    </message>
    <message>
        <source>Product efficiency</source>
        <translation>행렬곱 효율</translation>
    </message>
    <message>
        <source>Share of the peak that matrix products reach.</source>
        <translation>행렬곱이 도달하는 최대 성능의 비율입니다.</translation>
    </message>
    <message>
        <source>Calibration</source>
        <translation>보정</translation>
    </message>
    <message>
        <source>Where efficiencies come from: textbook, calibrated or measured.</source>
        <translation>효율의 출처입니다. textbook(교과서 값), calibrated(보정), measured(측정)가 있습니다.</translation>
    </message>
    <message>
        <source>Recomputed layers</source>
        <translation>재계산 레이어 수</translation>
    </message>
    <message>
        <source>Recompute attention</source>
        <translation>어텐션 재계산</translation>
    </message>
    <message>
        <source>Recompute norms</source>
        <translation>정규화 재계산</translation>
    </message>
    <message>
        <source>Recompute activation</source>
        <translation>활성화 재계산</translation>
    </message>
    <message>
        <source>Exact number of layers that do so, spread evenly (num_layers / k: every k-th); default: all.</source>
        <translation>재계산할 레이어의 정확한 수이며 고르게 배치됩니다 (num_layers / k: k번째마다). 기본값: 전체.</translation>
    </message>
    <message>
        <source>Make the attention output again from queries, keys and values.</source>
        <translation>쿼리, 키, 값에서 어텐션 출력을 다시 계산합니다.</translation>
    </message>
    <message>
        <source>Make the norm outputs again from their inputs.</source>
        <translation>정규화 출력을 입력에서 다시 계산합니다.</translation>
    </message>
    <message>
        <source>Make the feed-forward activation again from gate and up.</source>
        <translation>피드포워드 활성값을 gate와 up에서 다시 계산합니다.</translation>
    </message>
    <message>
        <source>Spike rule</source>
        <translation>스파이크 규칙</translation>
    </message>
    <message>
        <source>Spike policy</source>
        <translation>스파이크 대응</translation>
    </message>
    <message>
        <source>Spike z limit</source>
        <translation>스파이크 z 한계</translation>
    </message>
    <message>
        <source>Gradient norm limit</source>
        <translation>그래디언트 노름 한계</translation>
    </message>
    <message>
        <source>When a loss counts as a spike.</source>
        <translation>손실을 스파이크로 보는 기준입니다.</translation>
    </message>
    <message>
        <source>What happens at a spike, or at a loss or gradient that is not finite.</source>
        <translation>스파이크이거나 손실 또는 그래디언트가 유한하지 않을 때의 동작입니다.</translation>
    </message>
    <message>
        <source>Robust z-score above which a loss is a spike.</source>
        <translation>손실이 스파이크로 간주되는 강건 z 점수 한계입니다.</translation>
    </message>
    <message>
        <source>Gradient norm above which a step is a spike; 0 switches it off.</source>
        <translation>이 값을 넘는 그래디언트 노름은 스파이크입니다. 0이면 끕니다.</translation>
    </message>
    <message>
        <source>Adaptive clipping</source>
        <translation>적응형 클리핑</translation>
    </message>
    <message>
        <source>Muon momentum</source>
        <translation>Muon 모멘텀</translation>
    </message>
    <message>
        <source>Largest gradient norm of a unit (row) as a share of its weights&apos; norm; 0 switches it off.</source>
        <translation>단위(행)의 최대 그래디언트 노름을 가중치 노름의 비율로 나타냅니다. 0이면 끕니다.</translation>
    </message>
    <message>
        <source>Momentum of the orthogonal updates.</source>
        <translation>직교 업데이트의 모멘텀입니다.</translation>
    </message>
    <message>
        <source>First batch</source>
        <translation>처음 배치</translation>
    </message>
    <message>
        <source>Batch increment</source>
        <translation>배치 증가량</translation>
    </message>
    <message>
        <source>Ramp length</source>
        <translation>램프 길이</translation>
    </message>
    <message>
        <source>Evaluate every</source>
        <translation>평가 간격</translation>
    </message>
    <message>
        <source>Held-out tokens</source>
        <translation>검증용 토큰</translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation>손실 스케일</translation>
    </message>
    <message>
        <source>Loss scale interval</source>
        <translation>손실 스케일 간격</translation>
    </message>
    <message>
        <source>Moment format</source>
        <translation>모멘트 형식</translation>
    </message>
    <message>
        <source>Noise scale every</source>
        <translation>노이즈 스케일 간격</translation>
    </message>
    <message>
        <source>Batch of the first step, from which it grows to the global batch; 0: no ramp.</source>
        <translation>첫 스텝의 배치이며 여기서 전체 배치까지 늘어납니다. 0이면 램프가 없습니다.</translation>
    </message>
    <message>
        <source>The batch grows by whole multiples of this; default: initial.</source>
        <translation>배치는 이 값의 배수로 늘어납니다. 기본값: 처음 배치.</translation>
    </message>
    <message>
        <source>Tokens until the whole global batch is reached.</source>
        <translation>전체 배치에 이를 때까지의 토큰 수입니다.</translation>
    </message>
    <message>
        <source>Steps between evaluations on held-out data; 0: none, and all data is trained on.</source>
        <translation>검증 데이터 평가 사이의 스텝 수입니다. 0이면 평가하지 않고 모든 데이터로 학습합니다.</translation>
    </message>
    <message>
        <source>Tokens at the end of the token file that are held out.</source>
        <translation>학습에서 제외되는 토큰 파일 끝부분의 토큰 수입니다.</translation>
    </message>
    <message>
        <source>First factor of the loss under fp16; halved when a gradient overflows.</source>
        <translation>fp16에서 손실에 곱하는 처음 배율입니다. 그래디언트가 넘치면 절반이 됩니다.</translation>
    </message>
    <message>
        <source>Steps without overflow after which the factor is doubled.</source>
        <translation>이만큼의 스텝 동안 넘침이 없으면 배율이 두 배가 됩니다.</translation>
    </message>
    <message>
        <source>Number format in which moments are kept.</source>
        <translation>모멘트를 저장하는 숫자 형식입니다.</translation>
    </message>
    <message>
        <source>Steps between measurements of the gradient noise scale, each an extra pass over a quarter of the batch; 0: none.</source>
        <translation>그래디언트 노이즈 스케일 측정 사이의 스텝 수입니다. 측정마다 배치의 4분의 1을 한 번 더 계산합니다. 0이면 측정하지 않습니다.</translation>
    </message>
    <message>
        <source>Stochastic rounding</source>
        <translation>확률적 반올림</translation>
    </message>
    <message>
        <source>No fp32 master weights: updates of bf16 weights are rounded at random, in proportion (Zamirai 2020).</source>
        <translation>fp32 마스터 가중치 없이 bf16 가중치의 갱신을 비율에 따라 무작위로 반올림합니다(Zamirai 2020).</translation>
    </message>
    <message>
        <source>FP8 scales</source>
        <translation>FP8 스케일</translation>
    </message>
    <message>
        <source>Scales of fp8 products.</source>
        <translation>fp8 행렬곱의 스케일.</translation>
    </message>
    <message>
        <source>FP8 formats</source>
        <translation>FP8 형식</translation>
    </message>
    <message>
        <source>Number formats of fp8 products.</source>
        <translation>fp8 행렬곱의 수 형식.</translation>
    </message>
    <message>
        <source>Overlapped TP</source>
        <translation>겹친 TP</translation>
    </message>
    <message>
        <source>Overlap the gathers and scatters of sequence parallelism with the products beside them, piece by piece (Wang 2022).</source>
        <translation>시퀀스 병렬의 모으기와 나누기를 옆의 행렬곱과 조각별로 겹칩니다(Wang 2022).</translation>
    </message>
</context>
<context>
    <name>FieldEditor</name>
    <message>
        <source>default</source>
        <translation>기본값</translation>
    </message>
</context>
<context>
    <name>Format</name>
    <message>
        <source>points</source>
        <translation>%p</translation>
    </message>
</context>
<context>
    <name>FoundModel</name>
    <message>
        <source>On the front, but not among the best by what was asked for</source>
        <translation>프런트에 있지만, 요청한 기준의 상위 목록에는 없습니다</translation>
    </message>
    <message>
        <source>Front</source>
        <translation>프런트</translation>
    </message>
    <message>
        <source>No other layout is better in speed, memory or cost without being worse in another</source>
        <translation>속도, 메모리, 비용 중 하나를 더 좋게 하면 다른 하나가 나빠지는 병렬 구성입니다</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>병렬 구성</translation>
    </message>
    <message>
        <source>%1 (this plan)</source>
        <translation>%1 (현재 계획)</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>스텝 시간</translation>
    </message>
    <message>
        <source>MFU</source>
        <translation>MFU</translation>
    </message>
    <message>
        <source>Rule %1</source>
        <translation>규칙 %1</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>메모리</translation>
    </message>
    <message>
        <source>Bubble</source>
        <translation>버블</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>비용</translation>
    </message>
    <message>
        <source>Device-hours</source>
        <translation>장치·시간</translation>
    </message>
    <message>
        <source>%1, %2 device-hours</source>
        <translation>%1, %2 장치·시간</translation>
    </message>
    <message>
        <source>Basis</source>
        <translation>근거</translation>
    </message>
</context>
<context>
    <name>Issue</name>
    <message>
        <source>These sizes do not divide evenly; change one of them.</source>
        <translation>크기가 나누어떨어지지 않습니다. 둘 중 하나를 바꾸세요.</translation>
    </message>
    <message>
        <source>Rotary positions need an even head size.</source>
        <translation>회전 위치에는 짝수 헤드 크기가 필요합니다.</translation>
    </message>
    <message>
        <source>The sequence is longer than the model&apos;s longest sequence.</source>
        <translation>시퀀스가 모델의 최대 시퀀스 길이보다 깁니다.</translation>
    </message>
    <message>
        <source>The token id is not in the vocabulary.</source>
        <translation>토큰 번호가 어휘에 없습니다.</translation>
    </message>
    <message>
        <source>The rank order must name each of tp, cp, dp and pp once.</source>
        <translation>랭크 순서에는 tp, cp, dp, pp가 한 번씩 있어야 합니다.</translation>
    </message>
    <message>
        <source>A path must be whole, from /: ranks may run in other folders.</source>
        <translation>경로는 /부터 전체를 적어야 합니다. 랭크가 다른 폴더에서 실행될 수 있습니다.</translation>
    </message>
    <message>
        <source>The layers per stage do not match the stages and layers of the model.</source>
        <translation>단계별 레이어 수가 모델의 단계와 레이어에 맞지 않습니다.</translation>
    </message>
    <message>
        <source>The pipeline schedule does not suit this number of stages, chunks or micro-batches.</source>
        <translation>파이프라인 방식이 단계, 조각 또는 마이크로배치 수에 맞지 않습니다.</translation>
    </message>
    <message>
        <source>The warm-up and decay are longer than the run.</source>
        <translation>워밍업과 감쇠가 실행보다 깁니다.</translation>
    </message>
    <message>
        <source>There are more pipeline stages than layers.</source>
        <translation>파이프라인 단계가 레이어보다 많습니다.</translation>
    </message>
    <message>
        <source>This gradient format does not suit the precision.</source>
        <translation>이 그래디언트 형식은 정밀도에 맞지 않습니다.</translation>
    </message>
    <message>
        <source>The bundled trainer cannot run this yet; it can only be planned.</source>
        <translation>포함된 트레이너는 아직 이 설정을 실행할 수 없으며, 계획만 할 수 있습니다.</translation>
    </message>
    <message>
        <source>No fused operator serves this attention; its scores take memory beside the forecast.</source>
        <translation>이 어텐션을 처리하는 융합 연산자가 없어, 어텐션 점수가 예상치 외의 메모리를 차지합니다.</translation>
    </message>
    <message>
        <source>Hugging Face transformers cannot load the weights of this model.</source>
        <translation>Hugging Face transformers가 이 모델의 가중치를 불러올 수 없습니다.</translation>
    </message>
    <message>
        <source>The value is out of range.</source>
        <translation>값이 범위를 벗어났습니다.</translation>
    </message>
    <message>
        <source>The value has the wrong type.</source>
        <translation>값의 형식이 올바르지 않습니다.</translation>
    </message>
    <message>
        <source>The value is none of the choices.</source>
        <translation>선택할 수 있는 값이 아닙니다.</translation>
    </message>
    <message>
        <source>There is no such key.</source>
        <translation>그런 키가 없습니다.</translation>
    </message>
    <message>
        <source>There is no such field.</source>
        <translation>그런 항목이 없습니다.</translation>
    </message>
    <message>
        <source>This field has no effect with the other settings; remove it.</source>
        <translation>다른 설정과 함께 쓰면 효과가 없는 항목입니다. 지우세요.</translation>
    </message>
    <message>
        <source>The file was written by another version of Slipway.</source>
        <translation>다른 버전의 Slipway가 쓴 파일입니다.</translation>
    </message>
    <message>
        <source>The configuration has errors.</source>
        <translation>설정에 오류가 있습니다.</translation>
    </message>
    <message>
        <source>The worst rank needs more memory than its device has.</source>
        <translation>가장 많이 쓰는 랭크가 장치보다 큰 메모리를 필요로 합니다.</translation>
    </message>
    <message>
        <source>The worst rank nearly fills its device&apos;s memory.</source>
        <translation>가장 많이 쓰는 랭크가 장치 메모리를 거의 다 채웁니다.</translation>
    </message>
    <message>
        <source>CUDA graphs take memory and save next to nothing here.</source>
        <translation>여기서는 CUDA 그래프가 메모리만 쓰고 시간은 거의 줄이지 못합니다.</translation>
    </message>
    <message>
        <source>Kernels wait for their launches; CUDA graphs would spare most of them.</source>
        <translation>커널이 실행 요청을 기다립니다. CUDA 그래프를 쓰면 대부분 없어집니다.</translation>
    </message>
    <message>
        <source>Offloaded optimizer states exceed the node&apos;s memory.</source>
        <translation>오프로드한 옵티마이저 상태가 노드의 메모리를 넘습니다.</translation>
    </message>
    <message>
        <source>The checkpoint copy and what is offloaded nearly fill a node&apos;s memory.</source>
        <translation>체크포인트 사본과 오프로드한 내용이 노드의 메모리를 거의 다 채웁니다.</translation>
    </message>
    <message>
        <source>The checkpoint copy and what is offloaded need more memory than a node has.</source>
        <translation>체크포인트 사본과 오프로드한 내용이 노드의 메모리보다 큽니다.</translation>
    </message>
    <message>
        <source>The layout needs more devices than there are.</source>
        <translation>병렬 구성에 필요한 장치가 가진 것보다 많습니다.</translation>
    </message>
    <message>
        <source>The calibrated stack&apos;s own links go before the measured curves.</source>
        <translation>보정된 소프트웨어 스택의 링크가 측정 곡선보다 우선합니다.</translation>
    </message>
    <message>
        <source>Some collectives have no measured curve; the cluster&apos;s links stand in.</source>
        <translation>측정 곡선이 없는 집합 통신이 있어 클러스터의 링크 값으로 대신합니다.</translation>
    </message>
    <message>
        <source>Some devices are not used by this layout.</source>
        <translation>이 병렬 구성에서 쓰지 않는 장치가 있습니다.</translation>
    </message>
    <message>
        <source>The peak of this device in this precision is unknown, so there is no MFU.</source>
        <translation>이 정밀도에서 장치의 최대 성능을 알 수 없어 MFU를 구할 수 없습니다.</translation>
    </message>
    <message>
        <source>The run asks for another kind of device than the hardware has.</source>
        <translation>실행이 요구하는 장치 종류가 하드웨어와 다릅니다.</translation>
    </message>
    <message>
        <source>The ranks share the cores of one computer.</source>
        <translation>랭크들이 컴퓨터 한 대의 코어를 함께 씁니다.</translation>
    </message>
    <message>
        <source>Tensor-parallel groups cross nodes; their traffic takes the slow link.</source>
        <translation>텐서 병렬 그룹이 노드를 넘어가므로 느린 링크를 씁니다.</translation>
    </message>
    <message>
        <source>The run ends before the first checkpoint or evaluation.</source>
        <translation>첫 체크포인트나 평가 전에 실행이 끝납니다.</translation>
    </message>
    <message>
        <source>The token format is too small for the vocabulary.</source>
        <translation>토큰 형식이 어휘 크기보다 작습니다.</translation>
    </message>
    <message>
        <source>The global batch is not micro-batch x accumulation x dp.</source>
        <translation>전역 배치가 마이크로배치 x 누적 x dp와 다릅니다.</translation>
    </message>
    <message>
        <source>The layout does not use exactly the devices there are.</source>
        <translation>배치 구성이 실제 장치 수와 맞지 않습니다.</translation>
    </message>
    <message>
        <source>Layers or heads do not divide by the layout.</source>
        <translation>레이어나 헤드가 병렬 구성으로 나누어떨어지지 않습니다.</translation>
    </message>
    <message>
        <source>There are fewer micro-batches than pipeline stages, so the pipeline never fills.</source>
        <translation>마이크로배치가 파이프라인 단계보다 적어 파이프라인이 채워지지 않습니다.</translation>
    </message>
    <message>
        <source>Labels are shifted twice; the model learns the token after next.</source>
        <translation>레이블이 두 번 밀려 모델이 다다음 토큰을 배웁니다.</translation>
    </message>
    <message>
        <source>A resumed run begins the data anew.</source>
        <translation>재개한 실행이 데이터를 처음부터 다시 읽습니다.</translation>
    </message>
    <message>
        <source>Several ranks write the same file.</source>
        <translation>여러 랭크가 같은 파일을 씁니다.</translation>
    </message>
    <message>
        <source>The run goes on after the learning-rate schedule has ended.</source>
        <translation>학습률 일정이 끝난 뒤에도 실행이 계속됩니다.</translation>
    </message>
    <message>
        <source>The first update has a learning rate of 0.</source>
        <translation>첫 갱신의 학습률이 0입니다.</translation>
    </message>
    <message>
        <source>The weights of the data sources do not sum to 1.</source>
        <translation>데이터 혼합 비율의 합이 1이 아닙니다.</translation>
    </message>
    <message>
        <source>Loader processes repeat the same data.</source>
        <translation>데이터 로더 프로세스들이 같은 데이터를 반복합니다.</translation>
    </message>
    <message>
        <source>The model is created for another ZeRO stage than the run uses.</source>
        <translation>모델이 실행과 다른 ZeRO 단계로 만들어집니다.</translation>
    </message>
    <message>
        <source>An unknown price or peak stands as 0.</source>
        <translation>알 수 없는 가격이나 최고 성능이 0으로 적혀 있습니다.</translation>
    </message>
    <message>
        <source>Weights, gradients and optimizer states alone exceed the device&apos;s memory.</source>
        <translation>가중치, 그래디언트, 옵티마이저 상태만으로 장치 메모리를 넘습니다.</translation>
    </message>
    <message>
        <source>The tensor-parallel degree is larger than a node.</source>
        <translation>텐서 병렬 정도가 노드보다 큽니다.</translation>
    </message>
    <message>
        <source>Gradients are reduced on every micro-batch.</source>
        <translation>마이크로배치마다 그래디언트를 합칩니다.</translation>
    </message>
    <message>
        <source>A batch of the ramp is no whole number of micro-batches.</source>
        <translation>배치 증가 단계가 마이크로배치의 배수가 아닙니다.</translation>
    </message>
    <message>
        <source>The spike rule does not see NaN.</source>
        <translation>스파이크 규칙이 NaN을 알아채지 못합니다.</translation>
    </message>
    <message>
        <source>The reader takes fewer tokens than a sample needs.</source>
        <translation>데이터 판독기가 표본 하나에 필요한 것보다 적은 토큰을 읽습니다.</translation>
    </message>
    <message>
        <source>Saving is tested on every micro-batch, so checkpoints are written several times.</source>
        <translation>마이크로배치마다 저장을 검사해 체크포인트를 여러 번 씁니다.</translation>
    </message>
    <message>
        <source>Steps and tokens of the plan do not agree.</source>
        <translation>계획의 스텝 수와 토큰 수가 맞지 않습니다.</translation>
    </message>
    <message>
        <source>The peak looks like a figure with sparsity; dense products reach half of it.</source>
        <translation>최고 성능이 희소성 기준 수치로 보입니다. 조밀 연산은 그 절반만 냅니다.</translation>
    </message>
    <message>
        <source>Tensor-parallel traffic takes a large share of the step.</source>
        <translation>텐서 병렬 통신이 스텝의 큰 부분을 차지합니다.</translation>
    </message>
    <message>
        <source>Gradient reduction takes a large share of the step.</source>
        <translation>그래디언트 합산이 스텝의 큰 부분을 차지합니다.</translation>
    </message>
    <message>
        <source>The pipeline waits for a large share of the step; more micro-batches help.</source>
        <translation>파이프라인이 스텝의 많은 시간을 기다립니다. 마이크로배치를 늘리면 나아집니다.</translation>
    </message>
    <message>
        <source>The pipeline stages take unequal time; the slowest sets the pace.</source>
        <translation>파이프라인 단계마다 걸리는 시간이 다르며, 가장 느린 단계가 속도를 정합니다.</translation>
    </message>
    <message>
        <source>The logits take a large share of the last stage&apos;s memory.</source>
        <translation>로짓이 마지막 단계 메모리의 큰 부분을 차지합니다.</translation>
    </message>
    <message>
        <source>Activations take most of the memory; recomputation or sequence parallelism helps.</source>
        <translation>활성값이 메모리의 대부분을 차지합니다. 재계산이나 시퀀스 병렬이 도움이 됩니다.</translation>
    </message>
    <message>
        <source>Recomputation costs time although the memory would suffice without it.</source>
        <translation>재계산 없이도 메모리가 충분한데 시간을 들여 재계산하고 있습니다.</translation>
    </message>
    <message>
        <source>ZeRO-1 would free memory on every rank at little cost.</source>
        <translation>ZeRO-1을 쓰면 적은 비용으로 모든 랭크의 메모리를 줄일 수 있습니다.</translation>
    </message>
    <message>
        <source>Much memory stays free; a larger micro-batch may be faster.</source>
        <translation>메모리가 많이 남습니다. 마이크로배치를 키우면 더 빠를 수 있습니다.</translation>
    </message>
    <message>
        <source>The vocabulary does not divide by tp and is padded.</source>
        <translation>어휘 크기가 tp로 나누어지지 않아 채워 넣습니다.</translation>
    </message>
    <message>
        <source>The run cannot start yet.</source>
        <translation>아직 실행을 시작할 수 없습니다.</translation>
    </message>
    <message>
        <source>A program of Slipway was not found beside this one.</source>
        <translation>이 프로그램 옆에서 Slipway의 다른 프로그램을 찾지 못했습니다.</translation>
    </message>
    <message>
        <source>A program could not be started.</source>
        <translation>프로그램을 시작하지 못했습니다.</translation>
    </message>
    <message>
        <source>A program did not tell its version.</source>
        <translation>프로그램이 버전을 알려 주지 않았습니다.</translation>
    </message>
    <message>
        <source>The programs of Slipway are of different versions.</source>
        <translation>Slipway 프로그램들의 버전이 서로 다릅니다.</translation>
    </message>
    <message>
        <source>The token file was not found.</source>
        <translation>토큰 파일을 찾지 못했습니다.</translation>
    </message>
    <message>
        <source>The run&apos;s state does not allow this.</source>
        <translation>지금 상태의 실행에는 할 수 없는 일입니다.</translation>
    </message>
    <message>
        <source>The run is still going on.</source>
        <translation>실행이 아직 진행 중입니다.</translation>
    </message>
    <message>
        <source>A file was not found.</source>
        <translation>파일을 찾지 못했습니다.</translation>
    </message>
    <message>
        <source>A file cannot be read.</source>
        <translation>파일을 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>A file is larger than what Slipway reads as a whole.</source>
        <translation>파일이 Slipway가 한 번에 읽는 크기보다 큽니다.</translation>
    </message>
    <message>
        <source>A file cannot be written.</source>
        <translation>파일을 쓸 수 없습니다.</translation>
    </message>
    <message>
        <source>A folder cannot be written.</source>
        <translation>폴더에 쓸 수 없습니다.</translation>
    </message>
    <message>
        <source>The disk is full.</source>
        <translation>디스크가 가득 찼습니다.</translation>
    </message>
    <message>
        <source>The file is not valid JSON.</source>
        <translation>올바른 JSON 파일이 아닙니다.</translation>
    </message>
    <message>
        <source>The table lacks columns.</source>
        <translation>표에 없는 열이 있습니다.</translation>
    </message>
    <message>
        <source>The file is not a valid table (CSV).</source>
        <translation>올바른 표(CSV) 파일이 아닙니다.</translation>
    </message>
    <message>
        <source>The token file is damaged or of another kind.</source>
        <translation>토큰 파일이 손상되었거나 다른 종류입니다.</translation>
    </message>
    <message>
        <source>The token file holds ids outside the vocabulary.</source>
        <translation>토큰 파일에 어휘 밖의 번호가 있습니다.</translation>
    </message>
    <message>
        <source>No free network port was found.</source>
        <translation>비어 있는 네트워크 포트를 찾지 못했습니다.</translation>
    </message>
    <message>
        <source>The id is not valid.</source>
        <translation>ID가 올바르지 않습니다.</translation>
    </message>
    <message>
        <source>Names and tags have at most 200 characters, and no text has a NUL.</source>
        <translation>이름과 태그는 200자까지 쓸 수 있으며, 텍스트에는 NUL 문자를 넣을 수 없습니다.</translation>
    </message>
    <message>
        <source>There is no such run.</source>
        <translation>그런 실행이 없습니다.</translation>
    </message>
    <message>
        <source>A run with this id exists already.</source>
        <translation>같은 ID의 실행이 이미 있습니다.</translation>
    </message>
    <message>
        <source>A running run cannot be moved to the trash; stop it first.</source>
        <translation>진행 중인 실행은 휴지통으로 옮길 수 없습니다. 먼저 중지하세요.</translation>
    </message>
    <message>
        <source>A locked run cannot be moved to the trash; unlock it first.</source>
        <translation>잠긴 실행은 휴지통으로 옮길 수 없습니다. 먼저 잠금을 푸세요.</translation>
    </message>
    <message>
        <source>The run index is in use by another program; try again.</source>
        <translation>다른 프로그램이 실행 색인을 쓰고 있습니다. 다시 시도하세요.</translation>
    </message>
    <message>
        <source>The run index is damaged; rebuild it from the run folders.</source>
        <translation>실행 색인이 손상되었습니다. 실행 폴더에서 다시 만드세요.</translation>
    </message>
    <message>
        <source>Nothing in this file can be read as a log or a table of results.</source>
        <translation>이 파일에서 로그나 결과 표로 읽을 수 있는 것이 없습니다.</translation>
    </message>
    <message>
        <source>The run index cannot be used.</source>
        <translation>실행 색인을 쓸 수 없습니다.</translation>
    </message>
    <message>
        <source>Names and tags have at most 200 characters, and no text has a NUL.</source>
        <translation>이름과 태그는 200자까지 쓸 수 있으며, 텍스트에는 NUL 문자를 넣을 수 없습니다.</translation>
    </message>
    <message>
        <source>A link or a pipe is in the place of a file; it was not read.</source>
        <translation>파일이 있어야 할 자리에 링크나 파이프가 있어 읽지 않았습니다.</translation>
    </message>
    <message>
        <source>Another program is rebuilding the run index.</source>
        <translation>다른 프로그램이 실행 색인을 다시 만드는 중입니다.</translation>
    </message>
    <message>
        <source>There is no run index yet.</source>
        <translation>아직 실행 색인이 없습니다.</translation>
    </message>
    <message>
        <source>The run index was written by a newer version of Slipway.</source>
        <translation>더 새로운 버전의 Slipway가 쓴 실행 색인입니다.</translation>
    </message>
    <message>
        <source>The run index is of an older version; open it once for writing.</source>
        <translation>오래된 버전의 실행 색인입니다. 쓰기 모드로 한 번 여세요.</translation>
    </message>
    <message>
        <source>The filter cannot be read.</source>
        <translation>필터를 해석할 수 없습니다.</translation>
    </message>
    <message>
        <source>The filter&apos;s value does not suit its field.</source>
        <translation>필터 값이 항목에 맞지 않습니다.</translation>
    </message>
    <message>
        <source>The metric stream is shorter than before; the run folder was replaced.</source>
        <translation>지표 기록이 전보다 짧습니다. 실행 폴더가 바뀌었습니다.</translation>
    </message>
    <message>
        <source>A file of the agent cannot be read.</source>
        <translation>에이전트의 파일을 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>The checkpoint describes a parameter wrongly.</source>
        <translation>체크포인트의 매개변수 설명이 잘못되었습니다.</translation>
    </message>
    <message>
        <source>The measured profile of this computer cannot be read.</source>
        <translation>이 컴퓨터를 측정한 기록을 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>The token file is shorter than one batch.</source>
        <translation>토큰 파일이 배치 하나보다 짧습니다.</translation>
    </message>
    <message>
        <source>The token file cannot be read.</source>
        <translation>토큰 파일을 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>This computer has no such device.</source>
        <translation>이 컴퓨터에는 그런 장치가 없습니다.</translation>
    </message>
    <message>
        <source>fp8 products are emulated on a CPU, which is slow.</source>
        <translation>CPU에서는 fp8 곱셈을 흉내 내므로 느립니다.</translation>
    </message>
    <message>
        <source>This computer has fewer GPUs than the run needs.</source>
        <translation>이 컴퓨터의 GPU가 실행에 필요한 것보다 적습니다.</translation>
    </message>
    <message>
        <source>This computer has too little free memory for all ranks.</source>
        <translation>이 컴퓨터에 모든 랭크를 위한 여유 메모리가 부족합니다.</translation>
    </message>
    <message>
        <source>The ranks will nearly fill this computer&apos;s memory.</source>
        <translation>랭크들이 이 컴퓨터의 메모리를 거의 다 채웁니다.</translation>
    </message>
    <message>
        <source>There is too little free space where the run folders lie.</source>
        <translation>실행 폴더가 있는 곳에 여유 공간이 부족합니다.</translation>
    </message>
    <message>
        <source>A program of Slipway cannot be executed.</source>
        <translation>Slipway의 프로그램을 실행할 수 없습니다.</translation>
    </message>
    <message>
        <source>A program of Slipway ended with an error.</source>
        <translation>Slipway의 프로그램이 오류로 끝났습니다.</translation>
    </message>
    <message>
        <source>A program of Slipway did not answer in time.</source>
        <translation>Slipway의 프로그램이 제때 응답하지 않았습니다.</translation>
    </message>
    <message>
        <source>The programs of Slipway are of different versions; build them together.</source>
        <translation>Slipway 프로그램들의 버전이 다릅니다. 함께 빌드하세요.</translation>
    </message>
    <message>
        <source>The model&apos;s vocabulary is smaller than the token file&apos;s.</source>
        <translation>모델의 어휘가 토큰 파일의 어휘보다 작습니다.</translation>
    </message>
    <message>
        <source>The name of a node is not valid.</source>
        <translation>노드 이름이 올바르지 않습니다.</translation>
    </message>
    <message>
        <source>The nodes take fewer ranks than the run has.</source>
        <translation>노드가 받을 수 있는 랭크가 실행의 랭크보다 적습니다.</translation>
    </message>
    <message>
        <source>There is no such launcher.</source>
        <translation>그런 실행기가 없습니다.</translation>
    </message>
    <message>
        <source>The file of a sweep cannot be read.</source>
        <translation>스윕 파일을 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>A line of a sweep&apos;s trials cannot be read.</source>
        <translation>스윕 시험 기록의 한 줄을 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>A folder cannot be read.</source>
        <translation>폴더를 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>Some lines of the metric stream are damaged and were passed over.</source>
        <translation>지표 기록의 일부 줄이 손상되어 건너뛰었습니다.</translation>
    </message>
    <message>
        <source>The folder of the run is gone.</source>
        <translation>실행 폴더가 없어졌습니다.</translation>
    </message>
    <message>
        <source>Several runs match this name.</source>
        <translation>이 이름에 맞는 실행이 여러 개입니다.</translation>
    </message>
    <message>
        <source>There is no such sweep.</source>
        <translation>그런 스윕이 없습니다.</translation>
    </message>
    <message>
        <source>There is no such axis of a layout.</source>
        <translation>병렬 구성에 이런 축은 없습니다.</translation>
    </message>
    <message>
        <source>This limit cannot be read; write one value, a list 2,4, a range 2..8, &lt;=8 or &gt;=2.</source>
        <translation>이 제한을 읽을 수 없습니다. 값 하나, 목록 2,4, 범위 2..8, &lt;=8 또는 &gt;=2로 쓰세요.</translation>
    </message>
    <message>
        <source>Numbers of devices are whole numbers, separated by commas.</source>
        <translation>장치 수는 쉼표로 나눈 정수입니다.</translation>
    </message>
    <message>
        <source>No layout fits, so there is nothing to benchmark.</source>
        <translation>메모리에 들어가는 병렬 구성이 없어 벤치마크할 것이 없습니다.</translation>
    </message>
    <message>
        <source>This is no address of a model; write hf:ORG/NAME or an https URL without name and password.</source>
        <translation>모델의 주소가 아닙니다. hf:ORG/NAME 또는 이름과 비밀번호가 없는 https URL을 쓰세요.</translation>
    </message>
    <message>
        <source>Only https addresses are read.</source>
        <translation>https 주소만 읽습니다.</translation>
    </message>
    <message>
        <source>The server cannot be reached; check the name and the network.</source>
        <translation>서버에 연결할 수 없습니다. 이름과 네트워크를 확인하세요.</translation>
    </message>
    <message>
        <source>The server&apos;s certificate cannot be trusted, so nothing was read.</source>
        <translation>서버의 인증서를 믿을 수 없어 아무것도 읽지 않았습니다.</translation>
    </message>
    <message>
        <source>The server did not answer in time.</source>
        <translation>서버가 제시간에 응답하지 않았습니다.</translation>
    </message>
    <message>
        <source>The answer is too large to be a config.</source>
        <translation>응답이 설정 파일이라기에는 너무 큽니다.</translation>
    </message>
    <message>
        <source>The address redirects too often.</source>
        <translation>주소가 너무 여러 번 다른 곳으로 넘어갑니다.</translation>
    </message>
    <message>
        <source>The server refuses this document; accept the model&apos;s licence there and set HF_TOKEN.</source>
        <translation>서버가 이 문서를 거부합니다. 그곳에서 모델의 사용 조건에 동의하고 HF_TOKEN을 설정하세요.</translation>
    </message>
    <message>
        <source>The server has no such document.</source>
        <translation>서버에 그런 문서가 없습니다.</translation>
    </message>
    <message>
        <source>The server answered with an error.</source>
        <translation>서버가 오류로 응답했습니다.</translation>
    </message>
    <message>
        <source>The transfer was cancelled.</source>
        <translation>전송이 취소되었습니다.</translation>
    </message>
    <message>
        <source>A fused kernel gives wrong numbers on this device.</source>
        <translation>융합 커널이 이 장치에서 틀린 값을 냅니다.</translation>
    </message>
    <message>
        <source>The address answers with something else than a config; write hf:ORG/NAME or the address of the file itself.</source>
        <translation>이 주소의 응답은 설정이 아닙니다. hf:ORG/NAME 또는 파일 자체의 주소를 쓰세요.</translation>
    </message>
</context>
<context>
    <name>Label</name>
    <message>
        <source>80 %: %1 – %2</source>
        <translation>80 % 구간 %1 – %2</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>측정</translation>
    </message>
    <message>
        <source>calibrated</source>
        <translation>보정</translation>
    </message>
    <message>
        <source>textbook</source>
        <translation>교과서</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Measured: from runs of this very layout.</source>
        <translation>측정: 바로 이 병렬 구성의 실행에서 얻은 값입니다.</translation>
    </message>
    <message>
        <source>Calibrated: formulas with parameters fitted to measured runs; the interval is from their residuals.</source>
        <translation>보정: 측정한 실행에 맞춘 계수를 쓰는 공식입니다. 구간은 그 잔차에서 나옵니다.</translation>
    </message>
    <message>
        <source>Textbook: formulas with the usual efficiencies; no run of this hardware was used.</source>
        <translation>교과서: 통상적인 효율을 쓰는 공식입니다. 이 하드웨어의 실행은 쓰지 않았습니다.</translation>
    </message>
</context>
<context>
    <name>LayoutWords</name>
    <message>
        <source>ZeRO-%1 over %2</source>
        <translation>ZeRO-%1, %2개씩</translation>
    </message>
    <message>
        <source>SP, overlapped TP</source>
        <translation>SP, TP 겹침</translation>
    </message>
    <message>
        <source>layers %1</source>
        <translation>층 %1</translation>
    </message>
    <message>
        <source>recompute: %1</source>
        <translation>재계산: %1</translation>
    </message>
    <message>
        <source>offload: %1</source>
        <translation>오프로드: %1</translation>
    </message>
    <message>
        <source>micro-batch %1</source>
        <translation>마이크로배치 %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>PlanForm</name>
    <message>
        <source>Model</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Model shape</source>
        <translation>모델 구조</translation>
    </message>
    <message>
        <source>Hardware</source>
        <translation>하드웨어</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>배치 크기</translation>
    </message>
    <message>
        <source>Parallel layout</source>
        <translation>병렬 구성</translation>
    </message>
    <message>
        <source>Precision and memory</source>
        <translation>정밀도와 메모리</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>비용</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>학습</translation>
    </message>
    <message>
        <source>Advanced</source>
        <translation>고급 설정</translation>
    </message>
</context>
<context>
    <name>QLineEdit</name>
    <message>
        <source>&amp;Undo</source>
        <translation>실행 취소(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>다시 실행(&amp;R)</translation>
    </message>
    <message>
        <source>Cu&amp;t</source>
        <translation>잘라내기(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>복사(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation>붙여넣기(&amp;P)</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>지우기</translation>
    </message>
    <message>
        <source>Select All</source>
        <translation>모두 선택</translation>
    </message>
</context>
<context>
    <name>QPlatformTheme</name>
    <message>
        <source>OK</source>
        <translation>확인</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
</context>
<context>
    <name>Quantity</name>
    <message>
        <source>step_seconds</source>
        <translation>스텝 시간</translation>
    </message>
    <message>
        <source>tokens_per_second</source>
        <translation>초당 토큰 수</translation>
    </message>
    <message>
        <source>tokens_per_second_per_device</source>
        <translation>장치당 초당 토큰 수</translation>
    </message>
    <message>
        <source>mfu</source>
        <translation>MFU</translation>
    </message>
    <message>
        <source>mfu_a</source>
        <translation>규칙 A의 MFU</translation>
    </message>
    <message>
        <source>mfu_b</source>
        <translation>규칙 B의 MFU</translation>
    </message>
    <message>
        <source>mfu_d</source>
        <translation>규칙 D의 MFU</translation>
    </message>
    <message>
        <source>hfu</source>
        <translation>HFU</translation>
    </message>
    <message>
        <source>hfu_a</source>
        <translation>규칙 A의 HFU</translation>
    </message>
    <message>
        <source>hfu_b</source>
        <translation>규칙 B의 HFU</translation>
    </message>
    <message>
        <source>hfu_d</source>
        <translation>규칙 D의 HFU</translation>
    </message>
    <message>
        <source>flops_per_token</source>
        <translation>토큰당 FLOPs</translation>
    </message>
    <message>
        <source>flops_per_token_a</source>
        <translation>규칙 A의 토큰당 FLOPs</translation>
    </message>
    <message>
        <source>flops_per_token_b</source>
        <translation>규칙 B의 토큰당 FLOPs</translation>
    </message>
    <message>
        <source>flops_per_token_d</source>
        <translation>규칙 D의 토큰당 FLOPs</translation>
    </message>
    <message>
        <source>hardware_flops_per_token</source>
        <translation>재계산을 포함한 토큰당 FLOPs</translation>
    </message>
    <message>
        <source>hardware_flops_per_token_a</source>
        <translation>재계산을 포함한 규칙 A의 토큰당 FLOPs</translation>
    </message>
    <message>
        <source>hardware_flops_per_token_b</source>
        <translation>재계산을 포함한 규칙 B의 토큰당 FLOPs</translation>
    </message>
    <message>
        <source>hardware_flops_per_token_d</source>
        <translation>재계산을 포함한 규칙 D의 토큰당 FLOPs</translation>
    </message>
    <message>
        <source>memory_peak_bytes</source>
        <translation>최대 메모리</translation>
    </message>
    <message>
        <source>memory_capacity_bytes</source>
        <translation>랭크 하나의 메모리</translation>
    </message>
    <message>
        <source>bubble_theoretical</source>
        <translation>이론 버블</translation>
    </message>
    <message>
        <source>bubble_simulated</source>
        <translation>모의 버블</translation>
    </message>
    <message>
        <source>bubble_fraction</source>
        <translation>버블</translation>
    </message>
    <message>
        <source>comm_bytes</source>
        <translation>스텝당 통신량</translation>
    </message>
    <message>
        <source>comm_seconds</source>
        <translation>통신 시간</translation>
    </message>
    <message>
        <source>training_seconds</source>
        <translation>학습 시간</translation>
    </message>
    <message>
        <source>device_hours</source>
        <translation>장치·시간</translation>
    </message>
    <message>
        <source>money</source>
        <translation>비용</translation>
    </message>
    <message>
        <source>memory.weight_bytes</source>
        <translation>가중치 메모리</translation>
    </message>
    <message>
        <source>memory.gradient_bytes</source>
        <translation>그래디언트 메모리</translation>
    </message>
    <message>
        <source>memory.optimizer_bytes</source>
        <translation>옵티마이저 상태 메모리</translation>
    </message>
    <message>
        <source>memory.activation_bytes</source>
        <translation>활성값 메모리</translation>
    </message>
    <message>
        <source>memory.logits_bytes</source>
        <translation>로짓 메모리</translation>
    </message>
    <message>
        <source>memory.buffer_bytes</source>
        <translation>버퍼 메모리</translation>
    </message>
    <message>
        <source>memory.reserve_bytes</source>
        <translation>예비 메모리</translation>
    </message>
    <message>
        <source>memory.graph_bytes</source>
        <translation>CUDA 그래프 메모리</translation>
    </message>
    <message>
        <source>memory.total_bytes</source>
        <translation>전체 메모리</translation>
    </message>
    <message>
        <source>host_memory.total_bytes</source>
        <translation>랭크의 호스트 메모리</translation>
    </message>
    <message>
        <source>host_memory.staging_bytes</source>
        <translation>체크포인트 사본 크기</translation>
    </message>
    <message>
        <source>host_memory.optimizer_bytes</source>
        <translation>호스트의 옵티마이저 상태 크기</translation>
    </message>
    <message>
        <source>host_memory.activation_bytes</source>
        <translation>호스트의 활성값 크기</translation>
    </message>
    <message>
        <source>host_memory.node_bytes</source>
        <translation>노드의 호스트 메모리</translation>
    </message>
    <message>
        <source>host_memory.node_tensor_bytes</source>
        <translation>노드 메모리의 텐서 크기</translation>
    </message>
    <message>
        <source>host_memory.node_capacity_bytes</source>
        <translation>노드가 갖춘 메모리</translation>
    </message>
    <message>
        <source>step.compute_seconds</source>
        <translation>계산 시간</translation>
    </message>
    <message>
        <source>step.graph_saved_seconds</source>
        <translation>CUDA 그래프로 줄어든 시간</translation>
    </message>
    <message>
        <source>step.tp_exposed_seconds</source>
        <translation>텐서 병렬 통신 시간</translation>
    </message>
    <message>
        <source>step.cp_exposed_seconds</source>
        <translation>컨텍스트 병렬 통신 시간</translation>
    </message>
    <message>
        <source>step.ep_exposed_seconds</source>
        <translation>전문가 병렬 통신 시간</translation>
    </message>
    <message>
        <source>step.pp_exposed_seconds</source>
        <translation>파이프라인 통신 시간</translation>
    </message>
    <message>
        <source>step.bubble_seconds</source>
        <translation>파이프라인 버블 시간</translation>
    </message>
    <message>
        <source>step.dp_exposed_seconds</source>
        <translation>데이터 병렬 통신 시간</translation>
    </message>
    <message>
        <source>step.optimizer_seconds</source>
        <translation>옵티마이저 시간</translation>
    </message>
    <message>
        <source>step.fixed_seconds</source>
        <translation>고정 시간</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>매개변수 수</translation>
    </message>
    <message>
        <source>parameters.total</source>
        <translation>전체 매개변수 수</translation>
    </message>
    <message>
        <source>parameters.embedding</source>
        <translation>임베딩 매개변수 수</translation>
    </message>
    <message>
        <source>parameters.attention</source>
        <translation>어텐션 매개변수 수</translation>
    </message>
    <message>
        <source>parameters.ffn</source>
        <translation>피드포워드 매개변수 수</translation>
    </message>
    <message>
        <source>parameters.norm</source>
        <translation>정규화 매개변수 수</translation>
    </message>
    <message>
        <source>parameters.head</source>
        <translation>출력 헤드 매개변수 수</translation>
    </message>
    <message>
        <source>parameters.router</source>
        <translation>라우터 매개변수 수</translation>
    </message>
    <message>
        <source>parameters.active</source>
        <translation>토큰 하나가 지나는 매개변수 수</translation>
    </message>
    <message>
        <source>parameters.matmul</source>
        <translation>행렬곱 매개변수 수</translation>
    </message>
    <message>
        <source>checkpoint_bytes</source>
        <translation>체크포인트 크기</translation>
    </message>
    <message>
        <source>num_micro_batches</source>
        <translation>마이크로배치 수</translation>
    </message>
    <message>
        <source>micro_batches</source>
        <translation>랭크를 지나는 마이크로배치 수</translation>
    </message>
    <message>
        <source>micro_batches_kept</source>
        <translation>보관하는 마이크로배치 수</translation>
    </message>
    <message>
        <source>repeated_micro_batches</source>
        <translation>그래프로 반복하는 마이크로배치 수</translation>
    </message>
    <message>
        <source>rank_layers</source>
        <translation>랭크의 레이어 수</translation>
    </message>
    <message>
        <source>rank_moe_layers</source>
        <translation>랭크의 MoE 레이어 수</translation>
    </message>
    <message>
        <source>layers_on_device</source>
        <translation>장치에 남는 레이어 수</translation>
    </message>
    <message>
        <source>recomputed_layers</source>
        <translation>재계산하는 레이어 수</translation>
    </message>
    <message>
        <source>dense_layers</source>
        <translation>밀집 레이어 수</translation>
    </message>
    <message>
        <source>moe_layers</source>
        <translation>MoE 레이어 수</translation>
    </message>
    <message>
        <source>world_size</source>
        <translation>전체 랭크 수</translation>
    </message>
    <message>
        <source>devices</source>
        <translation>장치 수</translation>
    </message>
    <message>
        <source>whole_steps</source>
        <translation>전체 배치로 환산한 스텝 수</translation>
    </message>
    <message>
        <source>slots</source>
        <translation>슬롯 수</translation>
    </message>
    <message>
        <source>idle_units</source>
        <translation>유휴 단위 수</translation>
    </message>
    <message>
        <source>shard_ranks</source>
        <translation>나누어 갖는 랭크 수</translation>
    </message>
    <message>
        <source>expert_shard_ranks</source>
        <translation>전문가를 나누어 갖는 랭크 수</translation>
    </message>
    <message>
        <source>writers</source>
        <translation>체크포인트를 쓰는 랭크 수</translation>
    </message>
    <message>
        <source>expert_writers</source>
        <translation>전문가를 쓰는 랭크 수</translation>
    </message>
    <message>
        <source>node_ranks</source>
        <translation>노드의 랭크 수</translation>
    </message>
    <message>
        <source>ranks_per_node</source>
        <translation>노드당 랭크 수</translation>
    </message>
    <message>
        <source>rank_parameters</source>
        <translation>랭크의 매개변수 수</translation>
    </message>
    <message>
        <source>rank_expert_parameters</source>
        <translation>랭크의 전문가 매개변수 수</translation>
    </message>
    <message>
        <source>rank_matrices</source>
        <translation>랭크의 은닉 행렬 매개변수 수</translation>
    </message>
    <message>
        <source>rank_shard_parameters</source>
        <translation>랭크 분할분의 매개변수 수</translation>
    </message>
    <message>
        <source>layer_parameters</source>
        <translation>모든 레이어의 매개변수 수</translation>
    </message>
    <message>
        <source>head_parameters</source>
        <translation>출력 헤드의 가중치 수</translation>
    </message>
    <message>
        <source>head_matrix_parameters</source>
        <translation>출력 헤드 행렬의 매개변수 수</translation>
    </message>
    <message>
        <source>matrix_parameters</source>
        <translation>은닉 행렬의 매개변수 수</translation>
    </message>
    <message>
        <source>position_parameters</source>
        <translation>위치 매개변수 수</translation>
    </message>
    <message>
        <source>final_norm_parameters</source>
        <translation>마지막 정규화의 매개변수 수</translation>
    </message>
    <message>
        <source>idle_expert_parameters</source>
        <translation>쓰이지 않는 전문가의 매개변수 수</translation>
    </message>
    <message>
        <source>layer_attention_parameters</source>
        <translation>레이어의 어텐션 매개변수 수</translation>
    </message>
    <message>
        <source>moe_layer_attention_parameters</source>
        <translation>MoE 레이어의 어텐션 매개변수 수</translation>
    </message>
    <message>
        <source>layer_ffn_parameters</source>
        <translation>레이어의 피드포워드 매개변수 수</translation>
    </message>
    <message>
        <source>moe_layer_ffn_parameters</source>
        <translation>MoE 레이어의 피드포워드 매개변수 수</translation>
    </message>
    <message>
        <source>layer_norm_parameters</source>
        <translation>레이어의 정규화 매개변수 수</translation>
    </message>
    <message>
        <source>moe_layer_norm_parameters</source>
        <translation>MoE 레이어의 정규화 매개변수 수</translation>
    </message>
    <message>
        <source>layer_router_parameters</source>
        <translation>레이어의 라우터 매개변수 수</translation>
    </message>
    <message>
        <source>moe_layer_router_parameters</source>
        <translation>MoE 레이어의 라우터 매개변수 수</translation>
    </message>
    <message>
        <source>layer_matmul_parameters</source>
        <translation>레이어의 행렬곱 매개변수 수</translation>
    </message>
    <message>
        <source>moe_layer_matmul_parameters</source>
        <translation>MoE 레이어의 행렬곱 매개변수 수</translation>
    </message>
    <message>
        <source>peak_flops</source>
        <translation>전체 장치의 최대 성능</translation>
    </message>
    <message>
        <source>rank_peak_flops</source>
        <translation>랭크의 최대 성능</translation>
    </message>
    <message>
        <source>causal_attention_flops</source>
        <translation>인과 어텐션 FLOPs</translation>
    </message>
    <message>
        <source>full_attention_flops</source>
        <translation>전체 어텐션 FLOPs</translation>
    </message>
    <message>
        <source>recomputed_flops_per_token</source>
        <translation>토큰당 재계산 FLOPs</translation>
    </message>
    <message>
        <source>gemm_efficiency</source>
        <translation>행렬곱 효율</translation>
    </message>
    <message>
        <source>attention_efficiency</source>
        <translation>어텐션 효율</translation>
    </message>
    <message>
        <source>memory_efficiency</source>
        <translation>메모리 효율</translation>
    </message>
    <message>
        <source>stack_efficiency</source>
        <translation>소프트웨어 스택 효율</translation>
    </message>
    <message>
        <source>usable_share</source>
        <translation>쓸 수 있는 비율</translation>
    </message>
    <message>
        <source>fragmentation</source>
        <translation>단편화 비율</translation>
    </message>
    <message>
        <source>micro_batch_seconds</source>
        <translation>마이크로배치 시간</translation>
    </message>
    <message>
        <source>repeated_micro_batch_seconds</source>
        <translation>그래프로 반복한 마이크로배치 시간</translation>
    </message>
    <message>
        <source>launch_seconds</source>
        <translation>커널 실행 요청 시간</translation>
    </message>
    <message>
        <source>layer_seconds</source>
        <translation>레이어 시간</translation>
    </message>
    <message>
        <source>moe_layer_seconds</source>
        <translation>MoE 레이어 시간</translation>
    </message>
    <message>
        <source>embedding_seconds</source>
        <translation>임베딩 시간</translation>
    </message>
    <message>
        <source>head_seconds</source>
        <translation>출력 헤드 시간</translation>
    </message>
    <message>
        <source>host_wait_seconds</source>
        <translation>호스트 복사 대기 시간</translation>
    </message>
    <message>
        <source>layer_tp_seconds</source>
        <translation>레이어의 텐서 병렬 통신 시간</translation>
    </message>
    <message>
        <source>ends_tp_seconds</source>
        <translation>임베딩·출력 헤드의 텐서 병렬 통신 시간</translation>
    </message>
    <message>
        <source>layer_tp_hidden_seconds</source>
        <translation>레이어에서 가려진 텐서 병렬 통신 시간</translation>
    </message>
    <message>
        <source>tp_latency_seconds</source>
        <translation>텐서 병렬 지연</translation>
    </message>
    <message>
        <source>layer_cp_seconds</source>
        <translation>레이어의 컨텍스트 병렬 통신 시간</translation>
    </message>
    <message>
        <source>layer_ep_seconds</source>
        <translation>레이어의 전문가 병렬 통신 시간</translation>
    </message>
    <message>
        <source>hidden_seconds</source>
        <translation>겹쳐서 가려진 시간</translation>
    </message>
    <message>
        <source>dp_latency_seconds</source>
        <translation>데이터 병렬 지연</translation>
    </message>
    <message>
        <source>gradient_seconds</source>
        <translation>그래디언트 통신 시간</translation>
    </message>
    <message>
        <source>weight_seconds</source>
        <translation>가중치 통신 시간</translation>
    </message>
    <message>
        <source>stall_seconds</source>
        <translation>네트워크 정체 시간</translation>
    </message>
    <message>
        <source>transfer_wait_seconds</source>
        <translation>전송 대기 시간</translation>
    </message>
    <message>
        <source>transfer_seconds</source>
        <translation>메시지 전송 시간</translation>
    </message>
    <message>
        <source>slot_seconds</source>
        <translation>슬롯당 시간</translation>
    </message>
    <message>
        <source>schedule_seconds</source>
        <translation>파이프라인 일정의 길이</translation>
    </message>
    <message>
        <source>rank_pass_seconds</source>
        <translation>랭크가 일하는 시간</translation>
    </message>
    <message>
        <source>update_seconds</source>
        <translation>갱신 시간</translation>
    </message>
    <message>
        <source>seconds_per_step</source>
        <translation>스텝마다 드는 시간</translation>
    </message>
    <message>
        <source>tp_bytes_per_second</source>
        <translation>텐서 병렬 대역폭</translation>
    </message>
    <message>
        <source>dp_bytes_per_second</source>
        <translation>데이터 병렬 대역폭</translation>
    </message>
    <message>
        <source>host_link_bytes_per_second</source>
        <translation>호스트 링크 대역폭</translation>
    </message>
    <message>
        <source>rank_memory_bytes_per_second</source>
        <translation>랭크의 메모리 대역폭</translation>
    </message>
    <message>
        <source>rank_elementwise_bytes_per_second</source>
        <translation>랭크의 원소별 연산 대역폭</translation>
    </message>
    <message>
        <source>usable_memory_bytes_per_second</source>
        <translation>실효 메모리 대역폭</translation>
    </message>
    <message>
        <source>layer_bytes_sent</source>
        <translation>레이어의 전송량</translation>
    </message>
    <message>
        <source>gradient_bytes_sent</source>
        <translation>그래디언트 전송량</translation>
    </message>
    <message>
        <source>pipeline_message_bytes</source>
        <translation>파이프라인 메시지 크기</translation>
    </message>
    <message>
        <source>weight_bytes_per_parameter</source>
        <translation>매개변수당 가중치 크기</translation>
    </message>
    <message>
        <source>gradient_bytes_per_parameter</source>
        <translation>매개변수당 그래디언트 크기</translation>
    </message>
    <message>
        <source>optimizer_bytes_per_parameter</source>
        <translation>매개변수당 옵티마이저 상태 크기</translation>
    </message>
    <message>
        <source>gradient_pass_bytes_per_parameter</source>
        <translation>매개변수당 그래디언트 처리량</translation>
    </message>
    <message>
        <source>update_bytes_per_shard_parameter</source>
        <translation>분할분 매개변수당 갱신 처리량</translation>
    </message>
    <message>
        <source>checkpoint_bytes_per_parameter</source>
        <translation>매개변수당 체크포인트 크기</translation>
    </message>
    <message>
        <source>host_bytes_per_parameter</source>
        <translation>매개변수당 호스트 메모리</translation>
    </message>
    <message>
        <source>moment_bytes</source>
        <translation>모멘트 하나의 크기</translation>
    </message>
    <message>
        <source>spared_moment_bytes</source>
        <translation>두지 않는 모멘트의 크기</translation>
    </message>
    <message>
        <source>layer_activation_bytes</source>
        <translation>레이어의 활성값 크기</translation>
    </message>
    <message>
        <source>moe_layer_activation_bytes</source>
        <translation>MoE 레이어의 활성값 크기</translation>
    </message>
    <message>
        <source>logits_kept_bytes</source>
        <translation>보관하는 로짓 크기</translation>
    </message>
    <message>
        <source>loss_workspace_bytes</source>
        <translation>손실 계산 작업 공간</translation>
    </message>
    <message>
        <source>workspace_bytes</source>
        <translation>작업 공간</translation>
    </message>
    <message>
        <source>micro_batch_input_bytes</source>
        <translation>마이크로배치의 입력 크기</translation>
    </message>
    <message>
        <source>pass_bytes</source>
        <translation>순전파·역전파의 메모리</translation>
    </message>
    <message>
        <source>rotary_table_bytes</source>
        <translation>회전 위치 표의 크기</translation>
    </message>
    <message>
        <source>stack_reserve_bytes</source>
        <translation>소프트웨어 스택의 예비 메모리</translation>
    </message>
    <message>
        <source>context_bytes</source>
        <translation>GPU 컨텍스트 크기</translation>
    </message>
    <message>
        <source>device.memory_bytes</source>
        <translation>장치 메모리</translation>
    </message>
    <message>
        <source>listed_node_bytes</source>
        <translation>공개된 노드 메모리</translation>
    </message>
    <message>
        <source>price_per_hour</source>
        <translation>시간당 요금</translation>
    </message>
</context>
<context>
    <name>SearchPictures</name>
    <message>
        <source>Computing</source>
        <translation>계산</translation>
    </message>
    <message>
        <source>Tensor-parallel traffic</source>
        <translation>텐서 병렬 통신</translation>
    </message>
    <message>
        <source>Context-parallel traffic</source>
        <translation>컨텍스트 병렬 통신</translation>
    </message>
    <message>
        <source>Expert-parallel traffic</source>
        <translation>전문가 병렬 통신</translation>
    </message>
    <message>
        <source>Pipeline traffic</source>
        <translation>파이프라인 통신</translation>
    </message>
    <message>
        <source>Pipeline bubble</source>
        <translation>파이프라인 버블</translation>
    </message>
    <message>
        <source>Data-parallel traffic</source>
        <translation>데이터 병렬 통신</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>옵티마이저</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>on</source>
        <translation>켜짐</translation>
    </message>
    <message>
        <source>off</source>
        <translation>꺼짐</translation>
    </message>
    <message>
        <source>Recompute</source>
        <translation>재계산</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>파이프라인 방식</translation>
    </message>
    <message>
        <source>Chunks</source>
        <translation>청크</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>마이크로 배치</translation>
    </message>
    <message>
        <source>Offload</source>
        <translation>오프로드</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>스텝 시간</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>메모리</translation>
    </message>
    <message>
        <source>Device-hours</source>
        <translation>장치·시간</translation>
    </message>
    <message>
        <source>MFU</source>
        <translation>MFU</translation>
    </message>
    <message>
        <source>With %1: %2 a step, %3.</source>
        <translation>변경 %1: 스텝당 %2, %3.</translation>
    </message>
    <message>
        <source>With %1: %2 a step, %3; it does not fit either.</source>
        <translation>변경 %1: 스텝당 %2, %3. 그래도 메모리에 들어가지 않습니다.</translation>
    </message>
    <message>
        <source>It is not legal.</source>
        <translation>성립하지 않는 병렬 구성입니다.</translation>
    </message>
    <message>
        <source>The options of this search are %1.</source>
        <translation>이 탐색에서 고를 수 있는 값은 %1입니다.</translation>
    </message>
    <message>
        <source>Nothing can have %1 %2.</source>
        <translation>%1 %2인 병렬 구성은 있을 수 없습니다.</translation>
    </message>
    <message>
        <source>It does not fit: the fullest rank needs %1, %2 more than the %3 it has.</source>
        <translation>메모리에 들어가지 않습니다. 가장 많이 쓰는 랭크에 %1 필요하며, 가진 %3보다 %2 많습니다.</translation>
    </message>
    <message>
        <source>It does not fit: a node&apos;s memory beside that of its devices needs %1, %2 more than the %3 it has.</source>
        <translation>메모리에 들어가지 않습니다. 장치 메모리 외에 노드 메모리가 %1 필요하며, 가진 %3보다 %2 많습니다.</translation>
    </message>
    <message>
        <source>It fits; there is no search to compare it with yet.</source>
        <translation>메모리에 들어갑니다. 아직 비교할 탐색 결과가 없습니다.</translation>
    </message>
    <message>
        <source>No layout of the search is faster.</source>
        <translation>탐색에서 더 빠른 병렬 구성이 없습니다.</translation>
    </message>
    <message>
        <source>It is %1 slower than the best: %2 against %3 with %4.</source>
        <translation>가장 좋은 것보다 %1 느립니다. %2 대 %3 (%4).</translation>
    </message>
    <message>
        <source>%1: %2 more (%3 against %4).</source>
        <translation>%1: %2 더 걸립니다 (%3 대 %4).</translation>
    </message>
    <message>
        <source>%1 are outside the limits</source>
        <translation>%1개는 제한을 벗어납니다</translation>
    </message>
    <message>
        <source>%1 would spread tensor parallelism over nodes</source>
        <translation>%1개는 텐서 병렬이 노드를 넘습니다</translation>
    </message>
    <message>
        <source>%1 need more devices than there are</source>
        <translation>%1개는 장치가 모자랍니다</translation>
    </message>
    <message>
        <source>%1 do not divide heads, widths, experts, sequence or batch</source>
        <translation>%1개는 헤드, 너비, 전문가, 시퀀스 또는 배치가 나누어떨어지지 않습니다</translation>
    </message>
    <message>
        <source>%1 do not meet their schedule&apos;s demands</source>
        <translation>%1개는 파이프라인 방식의 조건에 맞지 않습니다</translation>
    </message>
    <message>
        <source>%1 have more stages than layers</source>
        <translation>%1개는 단계가 계층보다 많습니다</translation>
    </message>
    <message>
        <source>%1 cannot be run by the bundled trainer</source>
        <translation>%1개는 포함된 트레이너가 실행할 수 없습니다</translation>
    </message>
    <message>
        <source>%1 need more memory than a rank has</source>
        <translation>%1개는 랭크의 메모리보다 많이 필요합니다</translation>
    </message>
    <message>
        <source>%1 put more beside the devices than a node has</source>
        <translation>%1개는 장치 밖에 두는 양이 노드의 메모리보다 많습니다</translation>
    </message>
    <message>
        <source>%1 are proven to be neither among the best nor on the front</source>
        <translation>%1개는 상위 목록에도 프런트에도 들지 않음이 증명되었습니다</translation>
    </message>
    <message>
        <source>%1 have no time, because a peak or a bandwidth is unknown</source>
        <translation>%1개는 최고 성능이나 대역폭을 몰라 시간이 없습니다</translation>
    </message>
    <message>
        <source>%1 were estimated in full</source>
        <translation>%1개를 끝까지 추정했습니다</translation>
    </message>
    <message>
        <source>%1 are not valid configurations</source>
        <translation>%1개는 올바른 설정이 아닙니다</translation>
    </message>
    <message>
        <source>Exchange</source>
        <translation>교환</translation>
    </message>
    <message>
        <source>Shard group</source>
        <translation>분할 그룹</translation>
    </message>
    <message>
        <source>Overlapped TP</source>
        <translation>겹친 TP</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>레이어</translation>
    </message>
    <message>
        <source>%1 of %2 axes</source>
        <translation>축 %2개 중 %1개</translation>
    </message>
    <message>
        <source>no room: %1</source>
        <translation>자리 없음: %1</translation>
    </message>
    <message>
        <source>hidden: %1</source>
        <translation>숨김: %1</translation>
    </message>
    <message>
        <source>the same in all: %1</source>
        <translation>모두 같음: %1</translation>
    </message>
</context>
<context>
    <name>Shortcuts</name>
    <message>
        <source>Action</source>
        <translation>동작</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>키</translation>
    </message>
    <message>
        <source>Table: open the row</source>
        <translation>표: 행 열기</translation>
    </message>
    <message>
        <source>Runs: move to the trash</source>
        <translation>실행 목록: 휴지통으로 옮기기</translation>
    </message>
    <message>
        <source>Compare: make the run the baseline</source>
        <translation>비교: 기준으로 삼기</translation>
    </message>
    <message>
        <source>Compare: show or hide the run</source>
        <translation>비교: 보이기 또는 숨기기</translation>
    </message>
    <message>
        <source>Chart: move the pointer by one point, by ten</source>
        <translation>차트: 한 점씩, 열 점씩 이동</translation>
    </message>
    <message>
        <source>Chart: zoom in, out, all</source>
        <translation>차트: 확대, 축소, 전체</translation>
    </message>
    <message>
        <source>Chart: logarithmic axis</source>
        <translation>차트: 로그 축</translation>
    </message>
    <message>
        <source>Chart: show as table</source>
        <translation>차트: 표로 보기</translation>
    </message>
    <message>
        <source>Form: help on the field</source>
        <translation>양식: 항목 도움말</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>단축키</translation>
    </message>
    <message>
        <source>About Slipway</source>
        <translation>Slipway 정보</translation>
    </message>
    <message>
        <source>Slipway %1
Plan, prove, launch and compare training runs of large language models.
Licence: GPL-3.0-or-later.</source>
        <translation>Slipway %1
대규모 언어 모델의 학습 실행을 계획하고, 증명하고, 시작하고, 비교합니다.
라이선스: GPL-3.0-or-later</translation>
    </message>
    <message>
        <source>Table: formula of the figure</source>
        <translation>표: 수치의 계산식</translation>
    </message>
</context>
<context>
    <name>Status</name>
    <message>
        <source>Planned</source>
        <translation>계획됨</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>대기 중</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>실행 중</translation>
    </message>
    <message>
        <source>Completed</source>
        <translation>완료</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>실패</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>취소됨</translation>
    </message>
    <message>
        <source>Lost</source>
        <translation>연락 끊김</translation>
    </message>
    <message>
        <source>Skipped</source>
        <translation>건너뜀</translation>
    </message>
</context>
<context>
    <name>Unit</name>
    <message>
        <source>layers</source>
        <translation>레이어</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>헤드</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>experts</source>
        <translation>전문가</translation>
    </message>
    <message>
        <source>sequences</source>
        <translation>시퀀스</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>스텝</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>스레드</translation>
    </message>
    <message>
        <source>ranks</source>
        <translation>랭크</translation>
    </message>
    <message>
        <source>chunks</source>
        <translation>조각</translation>
    </message>
    <message>
        <source>checkpoints</source>
        <translation>체크포인트</translation>
    </message>
    <message>
        <source>nodes</source>
        <translation>노드</translation>
    </message>
    <message>
        <source>devices</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>바이트</translation>
    </message>
    <message>
        <source>per device-hour</source>
        <translation>장치·시간당</translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation>토큰/초</translation>
    </message>
</context>
<context>
    <name>slipway::gui::AlternativesPane</name>
    <message>
        <source>As fast within 1 %</source>
        <translation>1 % 이내로 같은 속도</translation>
    </message>
    <message>
        <source>Instead</source>
        <translation>바꿀 것</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>스텝 시간</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>메모리</translation>
    </message>
    <message>
        <source>Layouts that differ from the selected one only in what the forecast hardly tells apart: who shards with whom, offload, layers of the ends, ranks swapped between data and context parallelism, chunks per rank. Enter applies one.</source>
        <translation>예측으로는 거의 구별되지 않는 점에서만 선택한 것과 다른 병렬 구성입니다: 누구와 나누는지, 오프로드, 양 끝 단계의 레이어 수, 데이터 병렬과 컨텍스트 병렬을 맞바꾼 랭크, 랭크당 조각 수. Enter로 적용합니다.</translation>
    </message>
    <message>
        <source>of the selected layout</source>
        <translation>선택한 병렬 구성 기준</translation>
    </message>
    <message>
        <source>none</source>
        <translation>없음</translation>
    </message>
    <message numerus="yes">
        <source>%n layout(s) stand behind it, Enter applies one</source>
        <translation>
            <numerusform>뒤에 있는 병렬 구성 %n개, Enter로 적용</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::AnswerStrip</name>
    <message>
        <source>Formula, inputs and source</source>
        <translation>수식, 입력값, 출처</translation>
    </message>
</context>
<context>
    <name>slipway::gui::ColumnsDialog</name>
    <message>
        <source>Columns</source>
        <translation>열</translation>
    </message>
    <message>
        <source>Find a column</source>
        <translation>열 찾기</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>초기화</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
</context>
<context>
    <name>slipway::gui::ComparePage</name>
    <message>
        <source>Copy table</source>
        <translation>표 복사</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>내보내기…</translation>
    </message>
    <message>
        <source>The table is in the clipboard.</source>
        <translation>표를 클립보드에 복사했습니다.</translation>
    </message>
    <message>
        <source>Save the table</source>
        <translation>표 저장</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1에 저장했습니다</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>실행 목록</translation>
    </message>
    <message>
        <source>Drag to change the order. Space shows or hides a run, B makes it the baseline, Del takes it out.</source>
        <translation>끌어서 순서를 바꿉니다. Space는 보이기와 숨기기, B는 기준으로 삼기, Del은 빼기입니다.</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>차이</translation>
    </message>
    <message>
        <source>Log y</source>
        <translation>로그 y</translation>
    </message>
    <message>
        <source>Smooth</source>
        <translation>평활</translation>
    </message>
    <message>
        <source>Bars</source>
        <translation>막대</translation>
    </message>
    <message>
        <source>Only differences</source>
        <translation>다른 것만</translation>
    </message>
    <message>
        <source>Group seeds</source>
        <translation>시드 묶기</translation>
    </message>
    <message>
        <source>Metric of the curves</source>
        <translation>곡선의 지표</translation>
    </message>
    <message>
        <source>Horizontal axis of the curves</source>
        <translation>곡선의 가로축</translation>
    </message>
    <message>
        <source>Horizontal axis of the plot</source>
        <translation>그림의 가로축</translation>
    </message>
    <message>
        <source>Vertical axis of the plot</source>
        <translation>그림의 세로축</translation>
    </message>
    <message>
        <source>Compared runs</source>
        <translation>비교하는 실행</translation>
    </message>
    <message>
        <source>by step</source>
        <translation>스텝 기준</translation>
    </message>
    <message>
        <source>by tokens</source>
        <translation>토큰 기준</translation>
    </message>
    <message>
        <source>by time</source>
        <translation>시간 기준</translation>
    </message>
    <message>
        <source>by FLOPs</source>
        <translation>FLOPs 기준</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) could not be read.</source>
        <translation>
            <numerusform>실행 %n개를 읽지 못했습니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>Go to Runs</source>
        <translation>실행 목록으로</translation>
    </message>
    <message>
        <source>Choose two or more runs.</source>
        <translation>실행을 두 개 이상 고르세요.</translation>
    </message>
    <message>
        <source>Select runs in the table and press Compare. The first one is the baseline.</source>
        <translation>표에서 실행을 고르고 비교를 누르세요. 첫 번째가 기준입니다.</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>비교</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s), baseline A</source>
        <translation>
            <numerusform>실행 %n개, 기준 A</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2 fields differ</source>
        <translation>항목 %2개 중 %1개가 다름</translation>
    </message>
    <message>
        <source>Better or worse is marked only beyond the spread of repeated runs. Percentages behind a forecast are its error against the measurement.</source>
        <translation>반복 실행의 편차를 넘을 때만 더 좋거나 나쁨을 표시합니다. 예측 뒤의 백분율은 측정값에 대한 오차입니다.</translation>
    </message>
    <message>
        <source>Single runs: no spread is known, so differences below 5 % are not marked as better or worse. Percentages behind a forecast are its error against the measurement.</source>
        <translation>한 번씩만 실행하여 편차를 모르므로 5 % 미만의 차이는 좋고 나쁨을 표시하지 않습니다. 예측 뒤의 백분율은 측정값에 대한 오차입니다.</translation>
    </message>
    <message>
        <source>tokens/s per device</source>
        <translation>장치당 토큰/초</translation>
    </message>
    <message>
        <source>baseline</source>
        <translation>기준</translation>
    </message>
    <message>
        <source>%1 against A</source>
        <translation>A 대비 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n runs</source>
        <translation>
            <numerusform>실행 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>none of these runs recorded it</source>
        <translation>이 실행들에는 기록이 없습니다</translation>
    </message>
    <message>
        <source>%1 by %2</source>
        <translation>%2에 따른 %1</translation>
    </message>
    <message>
        <source>rule %1, tick: forecast</source>
        <translation>규칙 %1, 눈금은 예측</translation>
    </message>
    <message>
        <source>tick: forecast</source>
        <translation>눈금은 예측</translation>
    </message>
    <message>
        <source>No run is chosen.</source>
        <translation>선택한 실행이 없습니다.</translation>
    </message>
    <message>
        <source>None of these runs recorded this figure. Runs of result tables have no steps; the table below compares their figures.</source>
        <translation>이 수치를 기록한 실행이 없습니다. 결과 표에서 가져온 실행에는 스텝이 없으므로 아래 표에서 수치를 비교하세요.</translation>
    </message>
</context>
<context>
    <name>slipway::gui::CorpusDialog</name>
    <message>
        <source>New corpus</source>
        <translation>새 말뭉치</translation>
    </message>
    <message>
        <source>A tokenizer learns its vocabulary from the text, then the text becomes a token file to train on.</source>
        <translation>토크나이저가 텍스트에서 어휘를 학습한 뒤, 그 텍스트를 학습용 토큰 파일로 만듭니다.</translation>
    </message>
    <message>
        <source>none chosen</source>
        <translation>선택 안 함</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>찾아보기…</translation>
    </message>
    <message>
        <source>Text files: .txt, .jsonl (key &quot;text&quot;), each also as .gz or .dz.</source>
        <translation>텍스트 파일: .txt, .jsonl(키 &quot;text&quot;). .gz나 .dz로 압축한 것도 됩니다.</translation>
    </message>
    <message>
        <source>all</source>
        <translation>전체</translation>
    </message>
    <message>
        <source>Use it in the plan</source>
        <translation>계획에 사용</translation>
    </message>
    <message>
        <source>Text files</source>
        <translation>텍스트 파일</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>Entries of the vocabulary</source>
        <translation>어휘 항목 수</translation>
    </message>
    <message>
        <source>Text to encode, MiB</source>
        <translation>변환할 텍스트(MiB)</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Make the token file</source>
        <translation>토큰 파일 만들기</translation>
    </message>
    <message>
        <source>Choose one or more text files.</source>
        <translation>텍스트 파일을 하나 이상 선택하세요.</translation>
    </message>
    <message>
        <source>The name may have up to 80 letters, digits, dots, underscores and dashes; it becomes a file name.</source>
        <translation>이름은 영문자, 숫자, 점, 밑줄, 붙임표로 80자까지 쓸 수 있으며 파일 이름이 됩니다.</translation>
    </message>
    <message>
        <source>%1.tok exists already. If its text or vocabulary differs, it is replaced.</source>
        <translation>%1.tok 파일이 이미 있습니다. 텍스트나 어휘가 다르면 새 파일로 바뀝니다.</translation>
    </message>
</context>
<context>
    <name>slipway::gui::CorpusJob</name>
    <message>
        <source>reading the text</source>
        <translation>텍스트 읽는 중</translation>
    </message>
    <message>
        <source>learning the vocabulary</source>
        <translation>어휘 학습 중</translation>
    </message>
    <message>
        <source>writing tokens</source>
        <translation>토큰 쓰는 중</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>slipway::gui::CurvesDialog</name>
    <message>
        <source>Operation</source>
        <translation>연산</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>랭크</translation>
    </message>
    <message>
        <source>In a node</source>
        <translation>노드 안</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>지연 시간</translation>
    </message>
    <message>
        <source>Bus bandwidth</source>
        <translation>버스 대역폭</translation>
    </message>
    <message>
        <source>Date</source>
        <translation>날짜</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>출처</translation>
    </message>
    <message>
        <source>by the links; none measured</source>
        <translation>링크 값 사용(측정 없음)</translation>
    </message>
    <message numerus="yes">
        <source>%n curve(s): %1</source>
        <translation>
            <numerusform>곡선 %n개: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Collectives take the time of the links. A click loads what was measured: nccl-tests, slipway-trainer bench, or a table.</source>
        <translation>집합 통신 시간을 링크 값으로 계산합니다. 누르면 nccl-tests, slipway-trainer bench 또는 표의 측정값을 불러옵니다.</translation>
    </message>
    <message>
        <source>Measured collectives go before the links. Source: %1</source>
        <translation>측정한 집합 통신이 링크 값보다 우선합니다. 출처: %1</translation>
    </message>
    <message>
        <source>Measured collectives</source>
        <translation>측정한 집합 통신</translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>곡선</translation>
    </message>
    <message>
        <source>GB/s are bus bandwidth</source>
        <translation>GB/s는 버스 대역폭</translation>
    </message>
    <message>
        <source>GB/s are algorithm bandwidth</source>
        <translation>GB/s는 알고리즘 대역폭</translation>
    </message>
    <message>
        <source>What the GB/s of a table are</source>
        <translation>표의 GB/s가 뜻하는 것</translation>
    </message>
    <message>
        <source>For tables (CSV): what a rank sends in a ring per second, as busbw of nccl-tests, or the bytes of the whole tensor per second (algbw). Other files say it themselves.</source>
        <translation>표(CSV)에만 해당합니다. 링에서 랭크 하나가 초당 보내는 양(nccl-tests의 busbw)이거나 전체 텐서의 초당 바이트(algbw)입니다. 다른 파일에는 그 구분이 들어 있습니다.</translation>
    </message>
    <message>
        <source>Load from file…</source>
        <translation>파일에서 불러오기…</translation>
    </message>
    <message>
        <source>Published</source>
        <translation>공개된 측정값</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>제거</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
    <message>
        <source>Remove the curves</source>
        <translation>곡선 제거</translation>
    </message>
    <message>
        <source>The calibrated software stack has links of its own, which go before these curves.</source>
        <translation>보정된 소프트웨어 스택에 자체 링크 값이 있어 이 곡선보다 우선합니다.</translation>
    </message>
    <message>
        <source>Load measured collectives</source>
        <translation>측정한 집합 통신 불러오기</translation>
    </message>
    <message>
        <source>Tables, logs and records (*.csv *.log *.txt *.json);;All files (*)</source>
        <translation>표, 로그, 기록 (*.csv *.log *.txt *.json);;모든 파일 (*)</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>%1: 읽을 수 없습니다. %2</translation>
    </message>
    <message>
        <source>Load curves</source>
        <translation>곡선 불러오기</translation>
    </message>
</context>
<context>
    <name>slipway::gui::DifferencesModel</name>
    <message>
        <source>Field</source>
        <translation>항목</translation>
    </message>
    <message>
        <source>%1, baseline</source>
        <translation>%1, 기준</translation>
    </message>
</context>
<context>
    <name>slipway::gui::ExplainDialog</name>
    <message>
        <source>Formula</source>
        <translation>수식</translation>
    </message>
    <message>
        <source>80 % interval</source>
        <translation>80 % 구간</translation>
    </message>
    <message>
        <source>Source: %1</source>
        <translation>출처: %1</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>뒤로</translation>
    </message>
    <message>
        <source>By other conventions</source>
        <translation>다른 규칙으로 세면</translation>
    </message>
    <message>
        <source>Formula of “%1”</source>
        <translation>“%1” 계산식</translation>
    </message>
</context>
<context>
    <name>slipway::gui::FieldPlot</name>
    <message>
        <source>%1 by %2</source>
        <translation>%2에 따른 %1</translation>
    </message>
    <message>
        <source>No run has this figure.</source>
        <translation>이 수치가 있는 실행이 없습니다.</translation>
    </message>
    <message>
        <source>%1 by %2: %3 runs, %4 without a value.</source>
        <translation>%2에 따른 %1: 실행 %3개, 값 없음 %4개.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>실행</translation>
    </message>
    <message>
        <source>Forecast</source>
        <translation>예측</translation>
    </message>
    <message>
        <source>n/a</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>Forecast: %1</source>
        <translation>예측: %1</translation>
    </message>
</context>
<context>
    <name>slipway::gui::GotoDialog</name>
    <message>
        <source>Go to</source>
        <translation>이동</translation>
    </message>
    <message>
        <source>Page, action or run</source>
        <translation>페이지, 동작 또는 실행</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>찾은 항목</translation>
    </message>
    <message>
        <source>run</source>
        <translation>실행</translation>
    </message>
</context>
<context>
    <name>slipway::gui::HeaderBar</name>
    <message>
        <source>Progress</source>
        <translation>진행</translation>
    </message>
</context>
<context>
    <name>slipway::gui::ImportDialog</name>
    <message>
        <source>Import runs</source>
        <translation>실행 가져오기</translation>
    </message>
    <message>
        <source>As it looks</source>
        <translation>내용에 따라</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>형식</translation>
    </message>
    <message>
        <source>Config…</source>
        <translation>설정…</translation>
    </message>
    <message>
        <source>The config of these runs, in any format that can be read: it gives the shape and the tokens of a step where a log does not.</source>
        <translation>이 실행들의 설정입니다. 읽을 수 있는 형식이면 무엇이든 됩니다. 로그에 없는 모델 구조와 스텝당 토큰 수를 알려 줍니다.</translation>
    </message>
    <message>
        <source>none</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>File</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>실행</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>스텝 수</translation>
    </message>
    <message>
        <source>Lines used</source>
        <translation>사용한 줄</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%2 중 %1</translation>
    </message>
    <message>
        <source>Left out</source>
        <translation>제외</translation>
    </message>
    <message>
        <source>In the file</source>
        <translation>파일의 이름</translation>
    </message>
    <message>
        <source>Becomes</source>
        <translation>여기서의 이름</translation>
    </message>
    <message>
        <source>not a metric</source>
        <translation>지표 아님</translation>
    </message>
    <message>
        <source>%1, as it is</source>
        <translation>%1, 그대로</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>배율</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>값 개수</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>Names</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>읽는 중…</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>가져오기</translation>
    </message>
    <message numerus="yes">
        <source>Import %Ln run(s)</source>
        <translation>
            <numerusform>실행 %Ln개 가져오기</numerusform>
        </translation>
    </message>
    <message>
        <source>Names in %1</source>
        <translation>%1의 이름</translation>
    </message>
    <message>
        <source>Config of these runs</source>
        <translation>이 실행들의 설정</translation>
    </message>
</context>
<context>
    <name>slipway::gui::ImportJob</name>
    <message numerus="yes">
        <source>%Ln run(s) imported.</source>
        <translation>
            <numerusform>실행 %Ln개를 가져왔습니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2 runs imported.</source>
        <translation>실행 %2개 중 %1개를 가져왔습니다.</translation>
    </message>
    <message>
        <source>%1 not: %2</source>
        <translation>%1개 제외: %2</translation>
    </message>
</context>
<context>
    <name>slipway::gui::LaunchSheet</name>
    <message>
        <source>Launch</source>
        <translation>시작</translation>
    </message>
    <message>
        <source>Start this run on this computer</source>
        <translation>이 컴퓨터에서 실행 시작</translation>
    </message>
    <message>
        <source>separated by spaces</source>
        <translation>빈칸으로 나눔</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>위치</translation>
    </message>
    <message numerus="yes">
        <source>This computer, %n rank(s)</source>
        <translation>
            <numerusform>이 컴퓨터, 랭크 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>Name</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>태그</translation>
    </message>
    <message>
        <source>Readiness</source>
        <translation>준비 상태</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Memory, worst rank</source>
        <translation>메모리(최대 랭크)</translation>
    </message>
    <message>
        <source>forecast for this computer</source>
        <translation>이 컴퓨터 예측</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>스텝 시간</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>걸리는 시간</translation>
    </message>
    <message numerus="yes">
        <source>%Ln step(s)</source>
        <translation>
            <numerusform>%Ln스텝</numerusform>
        </translation>
    </message>
    <message>
        <source>Programs, data, memory and disk are ready.</source>
        <translation>프로그램, 데이터, 메모리, 디스크가 준비되었습니다.</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>준비됨</translation>
    </message>
    <message>
        <source>Not ready: these reasons stand in the way.</source>
        <translation>준비되지 않음: 다음 이유 때문입니다.</translation>
    </message>
    <message>
        <source>Checking this computer… The first time its peak is measured, which takes up to a minute.</source>
        <translation>이 컴퓨터를 확인하는 중… 처음에는 최대 성능을 재느라 1분까지 걸립니다.</translation>
    </message>
    <message>
        <source>New corpus…</source>
        <translation>새 말뭉치…</translation>
    </message>
</context>
<context>
    <name>slipway::gui::LogView</name>
    <message>
        <source>rank %1</source>
        <translation>랭크 %1</translation>
    </message>
</context>
<context>
    <name>slipway::gui::MainWindow</name>
    <message>
        <source>Plan</source>
        <translation>계획</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>실행 목록</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>실행</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>비교</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>설정</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>준비됨</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>파일(&amp;F)</translation>
    </message>
    <message>
        <source>New plan</source>
        <translation>새 계획</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>내보내기…</translation>
    </message>
    <message>
        <source>Rebuild the run index</source>
        <translation>실행 색인 다시 만들기</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>끝내기</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>편집(&amp;E)</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>실행 취소</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>다시 실행</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>찾기</translation>
    </message>
    <message>
        <source>Undo: %1</source>
        <translation>실행 취소: %1</translation>
    </message>
    <message>
        <source>Redo: %1</source>
        <translation>다시 실행: %1</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>보기(&amp;V)</translation>
    </message>
    <message>
        <source>Fold the navigation</source>
        <translation>탐색 접기</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>새로 고침</translation>
    </message>
    <message>
        <source>Next pane</source>
        <translation>다음 창</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>실행(&amp;R)</translation>
    </message>
    <message>
        <source>Primary action of the page</source>
        <translation>페이지의 주요 동작</translation>
    </message>
    <message>
        <source>Stop after this step</source>
        <translation>이 스텝 뒤 중지</translation>
    </message>
    <message>
        <source>Terminate…</source>
        <translation>강제 종료…</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>이어서 실행</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>도움말(&amp;H)</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>단축키</translation>
    </message>
    <message>
        <source>About Slipway</source>
        <translation>Slipway 정보</translation>
    </message>
    <message>
        <source>No runs in progress</source>
        <translation>진행 중인 실행 없음</translation>
    </message>
    <message>
        <source>%1 running, %2 queued</source>
        <translation>실행 %1, 대기 %2</translation>
    </message>
    <message>
        <source>Open config…</source>
        <translation>설정 열기…</translation>
    </message>
    <message>
        <source>Save config…</source>
        <translation>설정 저장…</translation>
    </message>
    <message>
        <source>Go to…</source>
        <translation>이동…</translation>
    </message>
    <message>
        <source>Open config</source>
        <translation>설정 열기</translation>
    </message>
    <message>
        <source>Configs (*.json)</source>
        <translation>설정 (*.json)</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>창 닫기</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) go on without the window; it follows them again when it is opened.</source>
        <translation>
            <numerusform>실행 %n개는 창이 없어도 계속됩니다. 창을 다시 열면 이어서 따라갑니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
    <message>
        <source>Forecast of the plan</source>
        <translation>계획의 예측</translation>
    </message>
    <message>
        <source>Search layouts</source>
        <translation>병렬 구성 탐색</translation>
    </message>
    <message>
        <source>What if…</source>
        <translation>가정 비교…</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>진행</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Import runs…</source>
        <translation>실행 가져오기…</translation>
    </message>
    <message>
        <source>Import runs</source>
        <translation>실행 가져오기</translation>
    </message>
    <message>
        <source>Importing %1 of %2</source>
        <translation>가져오는 중 %1/%2</translation>
    </message>
    <message>
        <source>Measuring this computer</source>
        <translation>이 컴퓨터를 측정하는 중</translation>
    </message>
    <message>
        <source>Train the tiny model</source>
        <translation>작은 모델 학습</translation>
    </message>
    <message>
        <source>Starting the tiny model</source>
        <translation>작은 모델을 시작하는 중</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>취소됨</translation>
    </message>
    <message>
        <source>New corpus…</source>
        <translation>새 말뭉치…</translation>
    </message>
    <message>
        <source>%1: %2 tokens, vocabulary %3</source>
        <translation>%1: 토큰 %2개, 어휘 크기 %3</translation>
    </message>
    <message>
        <source>The peak of this computer has been measured.</source>
        <translation>이 컴퓨터의 최대 성능을 측정했습니다.</translation>
    </message>
</context>
<context>
    <name>slipway::gui::MemoryBar</name>
    <message>
        <source>Weights</source>
        <translation>가중치</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>그래디언트</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>옵티마이저</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>활성값</translation>
    </message>
    <message>
        <source>Logits</source>
        <translation>로짓</translation>
    </message>
    <message>
        <source>Buffers</source>
        <translation>버퍼</translation>
    </message>
    <message>
        <source>Reserve</source>
        <translation>예비</translation>
    </message>
    <message>
        <source>No memory forecast.</source>
        <translation>메모리 예측이 없습니다.</translation>
    </message>
    <message>
        <source>The worst rank needs %1.</source>
        <translation>가장 많이 쓰는 랭크에 %1 필요합니다.</translation>
    </message>
    <message>
        <source>The worst rank needs %1 of %2.</source>
        <translation>가장 많이 쓰는 랭크에 %2 중 %1 필요합니다.</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>단계</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>합계</translation>
    </message>
    <message>
        <source>Stage %1</source>
        <translation>단계 %1</translation>
    </message>
    <message>
        <source>layers %1–%2</source>
        <translation>레이어 %1–%2</translation>
    </message>
    <message>
        <source>capacity %1</source>
        <translation>용량 %1</translation>
    </message>
    <message>
        <source>%1 of this rank&apos;s total</source>
        <translation>이 랭크 전체의 %1</translation>
    </message>
</context>
<context>
    <name>slipway::gui::MetricChart</name>
    <message numerus="yes">
        <source>%n point(s) ≤ 0 are left out</source>
        <translation>
            <numerusform>0 이하인 점 %n개는 제외됨</numerusform>
        </translation>
    </message>
    <message>
        <source>Curve</source>
        <translation>곡선</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>스텝</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>값</translation>
    </message>
    <message>
        <source>Minimum</source>
        <translation>최솟값</translation>
    </message>
    <message>
        <source>Maximum</source>
        <translation>최댓값</translation>
    </message>
    <message>
        <source>No curves.</source>
        <translation>곡선이 없습니다.</translation>
    </message>
    <message numerus="yes">
        <source>%n curve(s); the last value of %1 is %2.</source>
        <translation>
            <numerusform>곡선 %n개. %1의 마지막 값은 %2입니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation>그림 복사</translation>
    </message>
    <message>
        <source>Copy data</source>
        <translation>데이터 복사</translation>
    </message>
    <message>
        <source>Show as table</source>
        <translation>표로 보기</translation>
    </message>
    <message>
        <source>Logarithmic y axis</source>
        <translation>로그 y축</translation>
    </message>
</context>
<context>
    <name>slipway::gui::Navigation</name>
    <message>
        <source>Pages</source>
        <translation>페이지</translation>
    </message>
    <message>
        <source>In progress</source>
        <translation>진행 중</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>설정</translation>
    </message>
    <message>
        <source>%1 of %2 steps</source>
        <translation>%2스텝 중 %1</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>외 %n개</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::PaintedWidget</name>
    <message>
        <source>Copy picture</source>
        <translation>그림 복사</translation>
    </message>
    <message>
        <source>Copy data</source>
        <translation>데이터 복사</translation>
    </message>
    <message>
        <source>Show as table</source>
        <translation>표로 보기</translation>
    </message>
</context>
<context>
    <name>slipway::gui::ParallelPlot</name>
    <message>
        <source>Parallel coordinates</source>
        <translation>평행 좌표</translation>
    </message>
    <message>
        <source>n/a</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>%1: limited, %2 layouts left</source>
        <translation>%1: 제한됨, 병렬 구성 %2개 남음</translation>
    </message>
    <message>
        <source>%1: not limited</source>
        <translation>%1: 제한 없음</translation>
    </message>
    <message>
        <source>No layouts yet.</source>
        <translation>아직 병렬 구성이 없습니다.</translation>
    </message>
    <message>
        <source>%1 layouts over %2 axes.</source>
        <translation>축 %2개에 걸친 병렬 구성 %1개.</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>병렬 구성</translation>
    </message>
</context>
<context>
    <name>slipway::gui::ParetoPlot</name>
    <message>
        <source>%1 against %2</source>
        <translation>%1 대 %2</translation>
    </message>
    <message>
        <source>%1, less is better</source>
        <translation>%1, 작을수록 좋음</translation>
    </message>
    <message>
        <source>%1, more is better</source>
        <translation>%1, 클수록 좋음</translation>
    </message>
    <message numerus="yes">
        <source>%n without a figure</source>
        <translation>
            <numerusform>수치 없음 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>This plan</source>
        <translation>현재 계획</translation>
    </message>
    <message>
        <source>On the front: no other is better in one without being worse in the other</source>
        <translation>프런트: 한쪽을 더 좋게 하면 다른 쪽이 나빠집니다</translation>
    </message>
    <message>
        <source>No layouts yet.</source>
        <translation>아직 병렬 구성이 없습니다.</translation>
    </message>
    <message>
        <source>%1 against %2: %3 layouts, %4 of them on the front.</source>
        <translation>%1 대 %2: 병렬 구성 %3개, 그중 프런트 %4개.</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>병렬 구성</translation>
    </message>
    <message>
        <source>Front</source>
        <translation>프런트</translation>
    </message>
    <message>
        <source>n/a</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>예</translation>
    </message>
</context>
<context>
    <name>slipway::gui::PlanController</name>
    <message>
        <source>Change %1</source>
        <translation>%1 변경</translation>
    </message>
    <message>
        <source>Choose %1</source>
        <translation>%1 선택</translation>
    </message>
    <message>
        <source>Choose the tiny model</source>
        <translation>작은 모델 선택</translation>
    </message>
    <message>
        <source>Apply layout</source>
        <translation>병렬 구성 적용</translation>
    </message>
    <message>
        <source>The worst rank fits; %1 stay free.</source>
        <translation>가장 많이 쓰는 랭크도 들어가며 %1 남습니다.</translation>
    </message>
    <message>
        <source>Tensor-parallel groups stay inside a node.</source>
        <translation>텐서 병렬 그룹이 노드 안에 들어갑니다.</translation>
    </message>
    <message>
        <source>%1 heads and %2 key-value heads divide by tp %3.</source>
        <translation>헤드 %1개와 KV 헤드 %2개가 tp %3으로 나누어집니다.</translation>
    </message>
    <message>
        <source>%1 tokens take %2 steps.</source>
        <translation>토큰 %1 개는 %2스텝입니다.</translation>
    </message>
    <message>
        <source>Follow advice</source>
        <translation>조언 적용</translation>
    </message>
    <message>
        <source>%1 cannot be planned: %2</source>
        <translation>%1: 계획할 수 없습니다. %2</translation>
    </message>
    <message>
        <source>Swap with the baseline</source>
        <translation>기준과 맞바꾸기</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>%1 읽는 중…</translation>
    </message>
    <message>
        <source>Import %1</source>
        <translation>%1 가져오기</translation>
    </message>
    <message>
        <source>Imported %1.</source>
        <translation>가져왔습니다: %1.</translation>
    </message>
    <message>
        <source>New plan</source>
        <translation>새 계획</translation>
    </message>
</context>
<context>
    <name>slipway::gui::PlanPage</name>
    <message>
        <source>Step time</source>
        <translation>스텝 시간</translation>
    </message>
    <message>
        <source>tokens/s/GPU</source>
        <translation>토큰/초/GPU</translation>
    </message>
    <message>
        <source>tokens/s/device</source>
        <translation>토큰/초/장치</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>저장…</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>내보내기</translation>
    </message>
    <message>
        <source>Copy config as JSON</source>
        <translation>설정을 JSON으로 복사</translation>
    </message>
    <message>
        <source>Copy command line</source>
        <translation>명령줄 복사</translation>
    </message>
    <message>
        <source>Save config…</source>
        <translation>설정 저장…</translation>
    </message>
    <message>
        <source>Launch…</source>
        <translation>실행 시작…</translation>
    </message>
    <message>
        <source>Find a field</source>
        <translation>항목 찾기</translation>
    </message>
    <message>
        <source>Own shape</source>
        <translation>직접 정한 구조</translation>
    </message>
    <message>
        <source>Tiny, trains here in minutes</source>
        <translation>작은 모델(여기서 몇 분)</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>프리셋</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>구조</translation>
    </message>
    <message>
        <source>Own hardware</source>
        <translation>직접 정한 하드웨어</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>이 컴퓨터</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>Accumulation</source>
        <translation>누적 횟수</translation>
    </message>
    <message>
        <source>Memory per rank</source>
        <translation>랭크당 메모리</translation>
    </message>
    <message>
        <source>where one step goes</source>
        <translation>한 스텝의 구성</translation>
    </message>
    <message>
        <source>Pipeline schedule</source>
        <translation>파이프라인 일정</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>순전파</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>역전파</translation>
    </message>
    <message>
        <source>Wait</source>
        <translation>대기</translation>
    </message>
    <message>
        <source>Gradient reduction</source>
        <translation>그래디언트 합산</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>옵티마이저</translation>
    </message>
    <message>
        <source>Better layouts</source>
        <translation>더 나은 병렬 구성</translation>
    </message>
    <message>
        <source>Checks</source>
        <translation>점검</translation>
    </message>
    <message>
        <source>%1 layers, hidden %2</source>
        <translation>레이어 %1개, 은닉 크기 %2</translation>
    </message>
    <message numerus="yes">
        <source>%n micro-batch(es)</source>
        <translation>
            <numerusform>마이크로배치 %n개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n GPU(s)</source>
        <translation>
            <numerusform>GPU %n대</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n CPU rank(s)</source>
        <translation>
            <numerusform>CPU 랭크 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>토큰 %1 개</translation>
    </message>
    <message>
        <source>%1 of %2 used</source>
        <translation>%2 중 %1 사용</translation>
    </message>
    <message>
        <source>%1 parameters on %2: dp %3 × tp %4 × pp %5</source>
        <translation>매개변수 %1 개, %2: dp %3 × tp %4 × pp %5</translation>
    </message>
    <message>
        <source>Memory, worst rank</source>
        <translation>메모리(최대 랭크)</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>/ %1</translation>
    </message>
    <message>
        <source>capacity unknown</source>
        <translation>용량 모름</translation>
    </message>
    <message>
        <source>%1 free</source>
        <translation>여유 %1</translation>
    </message>
    <message>
        <source>%1 too much</source>
        <translation>%1 초과</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>처리량</translation>
    </message>
    <message>
        <source>%1 tokens/s in all</source>
        <translation>전체 %1 토큰/초</translation>
    </message>
    <message>
        <source>MFU</source>
        <translation>MFU</translation>
    </message>
    <message>
        <source>peak unknown</source>
        <translation>최대 성능 모름</translation>
    </message>
    <message>
        <source>Pipeline bubble</source>
        <translation>파이프라인 버블</translation>
    </message>
    <message>
        <source>ideal %1</source>
        <translation>이론값 %1</translation>
    </message>
    <message>
        <source>Cost of %1 tokens</source>
        <translation>토큰 %1 개 비용</translation>
    </message>
    <message>
        <source>%1, %2 device-hours</source>
        <translation>%1, %2 장치·시간</translation>
    </message>
    <message>
        <source>%1 device-hours, price unknown</source>
        <translation>%1 장치·시간, 요금 모름</translation>
    </message>
    <message>
        <source>%1 per rank, by pipeline stage</source>
        <translation>파이프라인 단계별, 랭크당 %1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message numerus="yes">
        <source>%1, %n micro-batch(es), replica 0</source>
        <translation>
            <numerusform>%1, 마이크로배치 %n개, 복제본 0</numerusform>
        </translation>
    </message>
    <message>
        <source>one step, %1</source>
        <translation>한 스텝, %1</translation>
    </message>
    <message>
        <source>Forecast updated in %1</source>
        <translation>예측을 %1 만에 갱신</translation>
    </message>
    <message>
        <source>The last valid forecast is shown until the errors are fixed.</source>
        <translation>오류를 고칠 때까지 마지막 올바른 예측을 보여 줍니다</translation>
    </message>
    <message>
        <source>Go to</source>
        <translation>이동</translation>
    </message>
    <message numerus="yes">
        <source>%n error(s)</source>
        <translation>
            <numerusform>오류 %n개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warning(s)</source>
        <translation>
            <numerusform>경고 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>all in order</source>
        <translation>모두 정상</translation>
    </message>
    <message numerus="yes">
        <source>%n legal layout(s) that fit, fastest first</source>
        <translation>
            <numerusform>들어가는 병렬 구성 %n개, 빠른 순</numerusform>
        </translation>
    </message>
    <message>
        <source>Save config</source>
        <translation>설정 저장</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1에 저장했습니다</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>시작</translation>
    </message>
    <message>
        <source>1st forward</source>
        <translation>1번째 순전파</translation>
    </message>
    <message>
        <source>1st backward</source>
        <translation>1번째 역전파</translation>
    </message>
    <message>
        <source>1st update</source>
        <translation>1번째 갱신</translation>
    </message>
    <message>
        <source>2nd step</source>
        <translation>2번째 스텝</translation>
    </message>
    <message>
        <source>%1: a step of %2 instead of %3 (%4), memory %5 instead of %6.</source>
        <translation>%1: 스텝 %3 → %2 (%4), 메모리 %6 → %5.</translation>
    </message>
    <message>
        <source>%1: %2 tokens/s instead of %3 (time a token %4), memory %5 instead of %6.</source>
        <translation>%1: 초당 토큰 %3 → %2 (토큰당 시간 %4), 메모리 %6 → %5.</translation>
    </message>
    <message>
        <source>%1: memory %2 instead of %3.</source>
        <translation>%1: 메모리 %3 → %2.</translation>
    </message>
    <message>
        <source>It does not fit either.</source>
        <translation>그래도 메모리에 들어가지 않습니다.</translation>
    </message>
    <message>
        <source>Host: %1</source>
        <translation>호스트: %1</translation>
    </message>
    <message>
        <source>What the fullest rank keeps in its node&apos;s memory: the checkpoint copy and what is offloaded. Click for the formula.</source>
        <translation>가장 많이 쓰는 랭크가 노드의 메모리에 두는 것: 체크포인트 사본과 오프로드한 내용. 누르면 계산식이 나옵니다.</translation>
    </message>
    <message>
        <source>A node&apos;s host memory: %1 instead of %2.</source>
        <translation>노드의 호스트 메모리: %2 → %1.</translation>
    </message>
    <message>
        <source>From Hugging Face or a URL…</source>
        <translation>Hugging Face 또는 URL에서…</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>결과</translation>
    </message>
    <message>
        <source>Forecast</source>
        <translation>예측</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>탐색</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>가정 비교</translation>
    </message>
    <message>
        <source>Over time</source>
        <translation>시간에 따라</translation>
    </message>
    <message>
        <source>From the start over the first step to the second, for the fullest rank.</source>
        <translation>가장 많이 쓰는 랭크의 시작, 첫 스텝, 둘째 스텝입니다.</translation>
    </message>
    <message>
        <source>By stage</source>
        <translation>단계별</translation>
    </message>
    <message>
        <source>Search all…</source>
        <translation>전체 탐색…</translation>
    </message>
    <message>
        <source>Estimates: %1</source>
        <translation>추정 근거: %1</translation>
    </message>
    <message>
        <source>Moment</source>
        <translation>시점</translation>
    </message>
    <message>
        <source>%1, stage %2; states are made before the first step</source>
        <translation>%1, 단계 %2, 상태는 첫 스텝 전에 만들어집니다</translation>
    </message>
    <message>
        <source>%1, stage %2; states are made during the first step</source>
        <translation>%1, 단계 %2, 상태는 첫 스텝 중에 만들어집니다</translation>
    </message>
    <message>
        <source>Import a model</source>
        <translation>모델 가져오기</translation>
    </message>
    <message>
        <source>hf:ORG/NAME, the model&apos;s page, or the URL of its config.json. Only this one document is read.</source>
        <translation>hf:ORG/NAME, 모델 페이지 또는 config.json의 URL. 이 문서 하나만 읽습니다.</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>적용</translation>
    </message>
    <message>
        <source>Save differences</source>
        <translation>차이 저장</translation>
    </message>
    <message>
        <source>rule %1, causal</source>
        <translation>규칙 %1, 인과</translation>
    </message>
    <message>
        <source>Collectives</source>
        <translation>집합 통신</translation>
    </message>
    <message>
        <source>Select a row to preview it in all panels; Enter applies it to the form. A right click on a figure offers its formula.</source>
        <translation>행을 고르면 모든 창에서 미리 보고, Enter를 누르면 양식에 적용합니다. 수치를 오른쪽 클릭하면 계산식을 볼 수 있습니다.</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>A faster layout: %1, a step of %2 instead of %3 (%4).</source>
        <translation>더 빠른 병렬 구성: %1. 스텝 시간이 %3에서 %2로 바뀝니다(%4).</translation>
    </message>
    <message numerus="yes">
        <source>%n suggestion(s)</source>
        <translation>
            <numerusform>제안 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>No layout of these devices fits their nodes; use nodes with more memory, or more of them.</source>
        <translation>이 장치들의 병렬 구성 중 노드 메모리에 맞는 것이 없습니다. 메모리가 더 큰 노드를 쓰거나 노드를 늘리세요.</translation>
    </message>
    <message>
        <source>No layout of these devices fits; use more devices, a shorter sequence or a smaller model.</source>
        <translation>이 장치들로는 메모리에 맞는 병렬 구성이 없습니다. 장치를 늘리거나, 시퀀스를 줄이거나, 더 작은 모델을 쓰세요.</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>찾아보기…</translation>
    </message>
    <message>
        <source>A token file of this computer; File &gt; New corpus… makes one.</source>
        <translation>이 컴퓨터에 있는 토큰 파일입니다. 파일 &gt; 새 말뭉치…에서 만들 수 있습니다.</translation>
    </message>
    <message>
        <source>Token files</source>
        <translation>토큰 파일</translation>
    </message>
    <message>
        <source>Token files (*.tok)</source>
        <translation>토큰 파일 (*.tok)</translation>
    </message>
</context>
<context>
    <name>slipway::gui::RankGrid</name>
    <message>
        <source>Rank %1 is %2 above the median.</source>
        <translation>랭크 %1: 중앙값보다 %2 높습니다.</translation>
    </message>
    <message>
        <source>No rank has reported yet.</source>
        <translation>아직 보고한 랭크가 없습니다.</translation>
    </message>
    <message>
        <source>All ranks lie within 5 % of the median.</source>
        <translation>모든 랭크가 중앙값의 5 % 안에 있습니다.</translation>
    </message>
    <message>
        <source>Rank %1: %2</source>
        <translation>랭크 %1: %2</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>랭크</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>값</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>%1부터</translation>
    </message>
</context>
<context>
    <name>slipway::gui::RunController</name>
    <message>
        <source>Stop the run?</source>
        <translation>실행을 중지할까요?</translation>
    </message>
    <message>
        <source>%1 ends after its current step and writes a checkpoint. It can be resumed.</source>
        <translation>%1: 현재 스텝이 끝나면 체크포인트를 쓰고 멈춥니다. 이어서 실행할 수 있습니다.</translation>
    </message>
    <message>
        <source>Stop after this step</source>
        <translation>이 스텝 뒤 중지</translation>
    </message>
    <message>
        <source>Terminate the run?</source>
        <translation>실행을 강제로 종료할까요?</translation>
    </message>
    <message>
        <source>%1 ends at once. Steps since its last checkpoint are lost.</source>
        <translation>%1: 바로 끝납니다. 마지막 체크포인트 뒤의 스텝은 사라집니다.</translation>
    </message>
    <message>
        <source>Terminate</source>
        <translation>강제 종료</translation>
    </message>
</context>
<context>
    <name>slipway::gui::RunPage</name>
    <message>
        <source>Held-out loss</source>
        <translation>검증 손실</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>수치</translation>
    </message>
    <message>
        <source>Forecast</source>
        <translation>예측</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>측정</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>차이</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>스텝</translation>
    </message>
    <message>
        <source>Event</source>
        <translation>사건</translation>
    </message>
    <message>
        <source>Open plan</source>
        <translation>계획 열기</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>이어서 실행</translation>
    </message>
    <message>
        <source>Stop after this step</source>
        <translation>이 스텝 뒤 중지</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>손실</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>처리량</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>그래디언트 노름</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>기다림</translation>
    </message>
    <message>
        <source>Smooth</source>
        <translation>평활</translation>
    </message>
    <message>
        <source>Log y</source>
        <translation>로그 y</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>로그</translation>
    </message>
    <message>
        <source>Search the log</source>
        <translation>로그 검색</translation>
    </message>
    <message>
        <source>Ranks whose log is shown</source>
        <translation>로그를 볼 랭크</translation>
    </message>
    <message>
        <source>Least level of the log</source>
        <translation>로그의 최소 수준</translation>
    </message>
    <message>
        <source>Level: all</source>
        <translation>수준: 전체</translation>
    </message>
    <message>
        <source>Level: warnings</source>
        <translation>수준: 경고</translation>
    </message>
    <message>
        <source>Level: errors</source>
        <translation>수준: 오류</translation>
    </message>
    <message>
        <source>Pipeline schedule</source>
        <translation>파이프라인 일정</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>랭크</translation>
    </message>
    <message>
        <source>Quantity shown per rank</source>
        <translation>랭크별로 보일 값</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>스텝 시간</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>최대 메모리</translation>
    </message>
    <message>
        <source>Memory now</source>
        <translation>현재 메모리</translation>
    </message>
    <message>
        <source>Resident memory</source>
        <translation>상주 메모리</translation>
    </message>
    <message>
        <source>GPU clock</source>
        <translation>GPU 클럭</translation>
    </message>
    <message>
        <source>GPU power</source>
        <translation>GPU 전력</translation>
    </message>
    <message>
        <source>GPU temperature</source>
        <translation>GPU 온도</translation>
    </message>
    <message>
        <source>GPU memory in use</source>
        <translation>사용 중인 GPU 메모리</translation>
    </message>
    <message>
        <source>power limit</source>
        <translation>전력 제한</translation>
    </message>
    <message>
        <source>heat</source>
        <translation>발열</translation>
    </message>
    <message>
        <source>power brake</source>
        <translation>전원 제동</translation>
    </message>
    <message>
        <source>hardware slowdown</source>
        <translation>하드웨어 감속</translation>
    </message>
    <message>
        <source>kept in step with other GPUs</source>
        <translation>다른 GPU와 클럭 맞춤</translation>
    </message>
    <message>
        <source>rank %1 (%2)</source>
        <translation>랭크 %1(%2)</translation>
    </message>
    <message numerus="yes">
        <source>%n GPU(s) are held back, such as %1.</source>
        <translation>
            <numerusform>GPU %n개의 클럭이 제한되어 있습니다. 예: %1.</numerusform>
        </translation>
    </message>
    <message>
        <source>Held back: %1.</source>
        <translation>클럭 제한: %1.</translation>
    </message>
    <message>
        <source>Forecast and measurement</source>
        <translation>예측과 측정</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>사건</translation>
    </message>
    <message>
        <source>The run cannot be read.</source>
        <translation>실행을 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
    <message>
        <source>No run is open.</source>
        <translation>열린 실행이 없습니다.</translation>
    </message>
    <message>
        <source>Open the newest run, or choose one in the table.</source>
        <translation>가장 새로운 실행을 열거나 표에서 고르세요.</translation>
    </message>
    <message>
        <source>Open the latest</source>
        <translation>최신 실행 열기</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>고르기…</translation>
    </message>
    <message>
        <source>Reading the run…</source>
        <translation>실행을 읽는 중…</translation>
    </message>
    <message>
        <source>Ranks: all</source>
        <translation>랭크: 전체</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>랭크 %1</translation>
    </message>
    <message>
        <source>waiting for the first line</source>
        <translation>첫 줄을 기다리는 중</translation>
    </message>
    <message numerus="yes">
        <source>%n rank(s)</source>
        <translation>
            <numerusform>랭크 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>none so far</source>
        <translation>아직 없음</translation>
    </message>
    <message>
        <source>newest first</source>
        <translation>최신순</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>실행</translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation>%2스텝 중 %1</translation>
    </message>
    <message>
        <source>%1, ends in about %2</source>
        <translation>%1, 약 %2 뒤 끝남</translation>
    </message>
    <message>
        <source>waiting for the first step</source>
        <translation>첫 스텝을 기다리는 중</translation>
    </message>
    <message>
        <source>no step was recorded</source>
        <translation>기록된 스텝이 없음</translation>
    </message>
    <message>
        <source>nats per token, last %1</source>
        <translation>토큰당 nat, 마지막 %1</translation>
    </message>
    <message>
        <source>tokens/s per device</source>
        <translation>장치당 토큰/초</translation>
    </message>
    <message>
        <source>%1 tokens/s/device</source>
        <translation>%1 토큰/초/장치</translation>
    </message>
    <message>
        <source>clipped at %1 (dotted)</source>
        <translation>%1에서 자름(점선)</translation>
    </message>
    <message>
        <source>not clipped</source>
        <translation>자르지 않음</translation>
    </message>
    <message>
        <source>Pipeline bubble</source>
        <translation>파이프라인 버블</translation>
    </message>
    <message>
        <source>Waiting for collectives</source>
        <translation>집합 통신 대기</translation>
    </message>
    <message>
        <source>observed; forecast %1 dashed</source>
        <translation>관측, 점선은 예측 %1</translation>
    </message>
    <message>
        <source>mean over ranks</source>
        <translation>랭크 평균</translation>
    </message>
    <message>
        <source>newest record of each rank</source>
        <translation>랭크별 최신 기록</translation>
    </message>
    <message>
        <source>Throughput, tokens/s</source>
        <translation>처리량, 토큰/초</translation>
    </message>
    <message>
        <source>MFU</source>
        <translation>MFU</translation>
    </message>
    <message>
        <source>MFU, rule %1</source>
        <translation>MFU, 규칙 %1</translation>
    </message>
    <message>
        <source>Memory, worst rank</source>
        <translation>메모리(최대 랭크)</translation>
    </message>
    <message>
        <source>Sent per rank and step</source>
        <translation>랭크·스텝당 보낸 양</translation>
    </message>
    <message>
        <source>Time in collectives</source>
        <translation>집합 통신 시간</translation>
    </message>
    <message>
        <source>Final loss</source>
        <translation>최종 손실</translation>
    </message>
    <message>
        <source>forecast; no spans were recorded (telemetry.spans_every_steps)</source>
        <translation>예측. 시간 구간 기록 없음(telemetry.spans_every_steps)</translation>
    </message>
    <message>
        <source>forecast above, step %1 as measured below</source>
        <translation>위는 예측, 아래는 스텝 %1의 측정</translation>
    </message>
    <message>
        <source>Save the curves as CSV</source>
        <translation>곡선을 CSV로 저장</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1에 저장했습니다</translation>
    </message>
    <message>
        <source>Held-out loss, last</source>
        <translation>마지막 검증 손실</translation>
    </message>
    <message>
        <source>Estimates: %1</source>
        <translation>추정 근거: %1</translation>
    </message>
    <message>
        <source>Median of the steps after warm-up: %1 of %2 steps.</source>
        <translation>워밍업 뒤 스텝의 중앙값입니다. 전체 %2스텝 중 %1스텝을 썼습니다.</translation>
    </message>
    <message>
        <source>Tokens of a step over the median step time.</source>
        <translation>스텝의 토큰 수를 스텝 시간의 중앙값으로 나눈 값입니다.</translation>
    </message>
    <message>
        <source>FLOPs per token × tokens/s ÷ peak of all devices: %1 × %2 ÷ %3.</source>
        <translation>토큰당 FLOPs × 초당 토큰 ÷ 모든 장치의 최고 성능: %1 × %2 ÷ %3.</translation>
    </message>
    <message>
        <source>Share of the passes&apos; time in which the ranks of a pipeline waited, median of the steps after warm-up.</source>
        <translation>파이프라인 랭크가 기다린 시간의 비율로, 워밍업 뒤 스텝의 중앙값입니다.</translation>
    </message>
    <message>
        <source>Most bytes of tensors on any rank.</source>
        <translation>모든 랭크 중 가장 큰 텐서 바이트입니다.</translation>
    </message>
    <message>
        <source>Counted by the ranks at each collective, mean over ranks.</source>
        <translation>각 랭크가 집합 통신마다 센 값의 평균입니다.</translation>
    </message>
    <message>
        <source>Time in collectives, hidden or not, mean over ranks.</source>
        <translation>가려진 시간을 포함한 집합 통신 시간의 랭크 평균입니다.</translation>
    </message>
    <message>
        <source>Of the last step recorded.</source>
        <translation>마지막으로 기록된 스텝의 값입니다.</translation>
    </message>
    <message>
        <source>Of the last evaluation recorded.</source>
        <translation>마지막으로 기록된 평가의 값입니다.</translation>
    </message>
    <message>
        <source>The first step is under way.</source>
        <translation>첫 스텝을 진행하고 있습니다.</translation>
    </message>
    <message>
        <source>This run&apos;s steps do not hold this figure.</source>
        <translation>이 실행의 스텝에는 이 수치가 없습니다.</translation>
    </message>
    <message>
        <source>No step of this run was recorded, so there is no curve.</source>
        <translation>기록된 스텝이 없어 곡선이 없습니다.</translation>
    </message>
    <message>
        <source>Enter opens the formula.</source>
        <translation>Enter를 누르면 계산식을 엽니다.</translation>
    </message>
    <message>
        <source>As kept at the launch; the formula of today&apos;s forecast gives %1.</source>
        <translation>시작할 때 저장한 값입니다. 지금의 예측 계산식으로는 %1입니다.</translation>
    </message>
    <message>
        <source>Latest loss</source>
        <translation>최근 손실</translation>
    </message>
</context>
<context>
    <name>slipway::gui::RunPreview</name>
    <message>
        <source>Open</source>
        <translation>열기</translation>
    </message>
    <message>
        <source>Selected runs</source>
        <translation>선택한 실행</translation>
    </message>
    <message>
        <source>Where they stand</source>
        <translation>전체에서의 위치</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>결과</translation>
    </message>
    <message>
        <source>Notes and tags</source>
        <translation>메모와 태그</translation>
    </message>
    <message>
        <source>Notes…</source>
        <translation>메모…</translation>
    </message>
    <message>
        <source>Tags…</source>
        <translation>태그…</translation>
    </message>
    <message>
        <source>No run selected</source>
        <translation>선택한 실행 없음</translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) selected</source>
        <translation>
            <numerusform>실행 %Ln개 선택</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>tokens/s/device of %Ln run(s)</source>
        <translation>
            <numerusform>실행 %Ln개의 토큰/초/장치</numerusform>
        </translation>
    </message>
    <message>
        <source>none</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>tokens/s/device</source>
        <translation>토큰/초/장치</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>스텝 시간</translation>
    </message>
    <message>
        <source>MFU</source>
        <translation>MFU</translation>
    </message>
    <message>
        <source>Pipeline bubble</source>
        <translation>파이프라인 버블</translation>
    </message>
    <message>
        <source>Traffic per step</source>
        <translation>스텝당 통신량</translation>
    </message>
    <message>
        <source>Final loss</source>
        <translation>최종 손실</translation>
    </message>
    <message>
        <source>Forecast</source>
        <translation>예측</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>측정</translation>
    </message>
    <message>
        <source>Held-out loss, last</source>
        <translation>마지막 검증 손실</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>메모리</translation>
    </message>
    <message>
        <source>Latest loss</source>
        <translation>최근 손실</translation>
    </message>
</context>
<context>
    <name>slipway::gui::RunsController</name>
    <message>
        <source>Change tags</source>
        <translation>태그 변경</translation>
    </message>
    <message>
        <source>Change notes</source>
        <translation>메모 변경</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>이름 바꾸기</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>보관</translation>
    </message>
    <message>
        <source>Unarchive</source>
        <translation>보관 해제</translation>
    </message>
    <message>
        <source>Move to the trash</source>
        <translation>휴지통으로 옮기기</translation>
    </message>
    <message>
        <source>Restore from the trash</source>
        <translation>휴지통에서 되돌리기</translation>
    </message>
</context>
<context>
    <name>slipway::gui::RunsPage</name>
    <message>
        <source>Runs</source>
        <translation>실행 목록</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>비교</translation>
    </message>
    <message>
        <source>New plan</source>
        <translation>새 계획</translation>
    </message>
    <message>
        <source>Which runs</source>
        <translation>볼 실행</translation>
    </message>
    <message>
        <source>Active runs</source>
        <translation>현재 실행</translation>
    </message>
    <message>
        <source>Archived runs</source>
        <translation>보관한 실행</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>휴지통</translation>
    </message>
    <message>
        <source>All runs</source>
        <translation>모든 실행</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>필터</translation>
    </message>
    <message>
        <source>Filter: tp:2 status:completed,failed mfu&gt;40 name~zero</source>
        <translation>필터: tp:2 status:completed,failed mfu&gt;40 name~zero</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>열</translation>
    </message>
    <message>
        <source>Delete moves to the trash; Ctrl+Z restores</source>
        <translation>Delete는 휴지통으로 옮기고 Ctrl+Z는 되돌립니다</translation>
    </message>
    <message>
        <source>The run index cannot be read.</source>
        <translation>실행 색인을 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>Rebuild from run folders</source>
        <translation>실행 폴더에서 다시 만들기</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s)</source>
        <translation>
            <numerusform>실행 %Ln개</numerusform>
        </translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; of %2 runs: %3 ran, %4 failed</source>
        <translation>실행 %2개 중 &lt;b&gt;%1&lt;/b&gt;개: 완료 %3, 실패 %4</translation>
    </message>
    <message>
        <source>No run matches this filter.</source>
        <translation>이 필터에 맞는 실행이 없습니다.</translation>
    </message>
    <message>
        <source>Clear filter</source>
        <translation>필터 지우기</translation>
    </message>
    <message>
        <source>Index is up to date</source>
        <translation>색인이 최신 상태입니다</translation>
    </message>
    <message>
        <source>Compare %1</source>
        <translation>%1개 비교</translation>
    </message>
    <message>
        <source>Choose two or more runs.</source>
        <translation>실행을 두 개 이상 고르세요.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln selected</source>
        <translation>
            <numerusform>%Ln개 선택</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 did not finish</source>
        <translation>%1 끝나지 못함</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>열기</translation>
    </message>
    <message>
        <source>Open plan</source>
        <translation>계획 열기</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>이름 바꾸기…</translation>
    </message>
    <message>
        <source>Tags…</source>
        <translation>태그…</translation>
    </message>
    <message>
        <source>Notes…</source>
        <translation>메모…</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>되돌리기</translation>
    </message>
    <message>
        <source>Unarchive</source>
        <translation>보관 해제</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>보관</translation>
    </message>
    <message>
        <source>Move to the trash</source>
        <translation>휴지통으로 옮기기</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) moved to the trash; Ctrl+Z restores.</source>
        <translation>
            <numerusform>실행 %n개를 휴지통으로 옮겼습니다. Ctrl+Z로 되돌립니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>태그</translation>
    </message>
    <message>
        <source>Tags, separated by spaces</source>
        <translation>태그(빈칸으로 나눔)</translation>
    </message>
    <message numerus="yes">
        <source>Tags to add to %n run(s)</source>
        <translation>
            <numerusform>실행 %n개에 붙일 태그</numerusform>
        </translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>메모</translation>
    </message>
    <message>
        <source>Notes of %1</source>
        <translation>%1의 메모</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>이름 바꾸기</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>Export the selected runs</source>
        <translation>선택한 실행 내보내기</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1에 저장했습니다</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>가져오기…</translation>
    </message>
    <message>
        <source>Console logs, TensorBoard files and tables of results become runs.</source>
        <translation>콘솔 로그, TensorBoard 파일, 결과 표를 실행으로 만듭니다.</translation>
    </message>
    <message>
        <source>Best %1 tokens/s/device</source>
        <translation>최고 %1 토큰/초/장치</translation>
    </message>
    <message>
        <source>Median %1</source>
        <translation>중앙값 %1</translation>
    </message>
</context>
<context>
    <name>slipway::gui::ScheduleView</name>
    <message>
        <source>Forward</source>
        <translation>순전파</translation>
    </message>
    <message>
        <source>Backward, inputs</source>
        <translation>역전파(입력)</translation>
    </message>
    <message>
        <source>Backward, weights</source>
        <translation>역전파(가중치)</translation>
    </message>
    <message>
        <source>Recompute</source>
        <translation>재계산</translation>
    </message>
    <message>
        <source>Gradient reduction</source>
        <translation>그래디언트 합산</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>역전파</translation>
    </message>
    <message>
        <source>%1 – %2 of %3</source>
        <translation>%3 중 %1 – %2</translation>
    </message>
    <message>
        <source>No schedule to draw.</source>
        <translation>그릴 일정이 없습니다.</translation>
    </message>
    <message numerus="yes">
        <source>Forward and backward passes of %n pipeline stage(s); one step takes %1.</source>
        <translation>
            <numerusform>파이프라인 단계 %n개의 순전파와 역전파. 한 스텝에 %1 걸립니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>Source</source>
        <translation>출처</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>단계</translation>
    </message>
    <message>
        <source>Pass</source>
        <translation>단계 작업</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>마이크로배치</translation>
    </message>
    <message>
        <source>Chunk</source>
        <translation>조각</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>시작</translation>
    </message>
    <message>
        <source>End</source>
        <translation>끝</translation>
    </message>
    <message>
        <source>forecast</source>
        <translation>예측</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>측정</translation>
    </message>
    <message>
        <source>Stage %1</source>
        <translation>단계 %1</translation>
    </message>
    <message>
        <source>%1, micro-batch %2, stage %3</source>
        <translation>%1, 마이크로배치 %2, 단계 %3</translation>
    </message>
    <message>
        <source>%1 – %2, %3</source>
        <translation>%1 – %2, %3</translation>
    </message>
    <message>
        <source>waited %1 before</source>
        <translation>앞서 %1 기다림</translation>
    </message>
    <message>
        <source>ranks %1–%2</source>
        <translation>랭크 %1–%2</translation>
    </message>
</context>
<context>
    <name>slipway::gui::SearchController</name>
    <message>
        <source>Apply layout</source>
        <translation>병렬 구성 적용</translation>
    </message>
</context>
<context>
    <name>slipway::gui::SearchForm</name>
    <message>
        <source>Shortest step</source>
        <translation>가장 짧은 스텝</translation>
    </message>
    <message>
        <source>Least memory</source>
        <translation>가장 적은 메모리</translation>
    </message>
    <message>
        <source>Fewest device-hours</source>
        <translation>가장 적은 장치·시간</translation>
    </message>
    <message>
        <source>Best is</source>
        <translation>기준</translation>
    </message>
    <message>
        <source>Numbers of devices to lay out over, for instance 256,512. Empty: all of the plan&apos;s hardware.</source>
        <translation>병렬 구성을 펼칠 장치 수입니다. 예: 256,512. 비우면 계획의 하드웨어 전체입니다.</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>all</source>
        <translation>전체</translation>
    </message>
    <message>
        <source>Memory limit</source>
        <translation>메모리 제한</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>탐색</translation>
    </message>
    <message>
        <source>Only what the bundled trainer can run</source>
        <translation>포함된 트레이너가 실행할 수 있는 것만</translation>
    </message>
    <message>
        <source>Tensor parallelism across nodes</source>
        <translation>노드를 넘는 텐서 병렬</translation>
    </message>
    <message>
        <source>free</source>
        <translation>자유</translation>
    </message>
    <message>
        <source>Empty: free. One value, a list 2,4, a range 2..8, &lt;=8 or &gt;=2.</source>
        <translation>비우면 자유. 값 하나, 목록 2,4, 범위 2..8, &lt;=8 또는 &gt;=2.</translation>
    </message>
    <message>
        <source>on</source>
        <translation>켜짐</translation>
    </message>
    <message>
        <source>off</source>
        <translation>꺼짐</translation>
    </message>
    <message>
        <source>Memory that one rank may use. Empty: all that its device has, %1.</source>
        <translation>한 랭크가 쓸 수 있는 메모리입니다. 비우면 장치가 가진 %1 전체입니다.</translation>
    </message>
    <message>
        <source>Memory that one rank may use. Empty: all that its device has.</source>
        <translation>한 랭크가 쓸 수 있는 메모리입니다. 비우면 장치가 가진 전체입니다.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Free: AFAB, 1F1B and interleaved 1F1B; choose another to search it.</source>
        <translation>자유: AFAB, 1F1B, 인터리브 1F1B. 다른 방식은 직접 고르면 탐색합니다.</translation>
    </message>
    <message>
        <source>Stages with embedding and head may have fewer layers; the stages between take them.</source>
        <translation>임베딩과 출력 헤드가 있는 단계는 레이어를 더 적게 가질 수 있으며, 나머지는 그 사이의 단계가 맡습니다.</translation>
    </message>
</context>
<context>
    <name>slipway::gui::SearchView</name>
    <message>
        <source>What may vary</source>
        <translation>바꿀 수 있는 것</translation>
    </message>
    <message>
        <source>Free all</source>
        <translation>모두 자유</translation>
    </message>
    <message>
        <source>As in the plan</source>
        <translation>계획과 같게</translation>
    </message>
    <message>
        <source>Fixes every axis to the plan&apos;s value; then free those that may vary.</source>
        <translation>모든 축을 계획의 값으로 고정합니다. 그다음 바꿀 축을 비우세요.</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>진행</translation>
    </message>
    <message>
        <source>Apply to plan</source>
        <translation>계획에 적용</translation>
    </message>
    <message>
        <source>Why not faster?</source>
        <translation>왜 더 빠르지 않나?</translation>
    </message>
    <message>
        <source>Benchmark these five…</source>
        <translation>이 다섯 개 벤치마크…</translation>
    </message>
    <message>
        <source>Writes a sweep of the five best that can be run, for slipway --batch.</source>
        <translation>실행할 수 있는 상위 다섯 개를 slipway --batch용 스윕 파일로 씁니다.</translation>
    </message>
    <message>
        <source>Speed against memory</source>
        <translation>속도 대 메모리</translation>
    </message>
    <message>
        <source>Against</source>
        <translation>비교 대상</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>메모리</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>비용</translation>
    </message>
    <message>
        <source>Axes of the layouts</source>
        <translation>병렬 구성의 축</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>모두 보기</translation>
    </message>
    <message>
        <source>tokens/s/GPU</source>
        <translation>토큰/초/GPU</translation>
    </message>
    <message>
        <source>Layouts</source>
        <translation>병렬 구성</translation>
    </message>
    <message>
        <source>Which layout is best?</source>
        <translation>어떤 병렬 구성이 가장 좋을까요?</translation>
    </message>
    <message>
        <source>The search judges every legal layout of this plan&apos;s model, batch and hardware, keeps the fastest and those that trade speed for memory, and says what it left out and why.</source>
        <translation>이 계획의 모델, 배치 크기, 하드웨어로 성립하는 모든 병렬 구성을 판단하고, 가장 빠른 것과 속도를 메모리와 맞바꾸는 것을 남기며, 무엇을 왜 뺐는지 알려 줍니다.</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>탐색</translation>
    </message>
    <message>
        <source>This cannot be searched.</source>
        <translation>탐색할 수 없습니다.</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>탐색 중…</translation>
    </message>
    <message>
        <source>First every layout is judged for legality and memory, then the promising ones are estimated.</source>
        <translation>먼저 모든 병렬 구성이 성립하는지와 메모리를 판단하고, 그다음 유망한 것을 추정합니다.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Cancelled before anything was found.</source>
        <translation>무언가를 찾기 전에 취소되었습니다.</translation>
    </message>
    <message>
        <source>Nothing was kept.</source>
        <translation>남은 것이 없습니다.</translation>
    </message>
    <message>
        <source>No layout fits.</source>
        <translation>메모리에 들어가는 병렬 구성이 없습니다.</translation>
    </message>
    <message>
        <source>No layout can be as asked for.</source>
        <translation>요청한 조건을 만족하는 병렬 구성은 있을 수 없습니다.</translation>
    </message>
    <message>
        <source>all axes are free</source>
        <translation>모든 축이 자유롭습니다</translation>
    </message>
    <message numerus="yes">
        <source>%n axis/axes limited, the others are free</source>
        <translation>
            <numerusform>축 %n개 제한, 나머지는 자유</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n layout(s), Enter applies the selected one</source>
        <translation>
            <numerusform>병렬 구성 %n개, Enter로 선택한 것을 적용</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2 layouts pass the ranges</source>
        <translation>병렬 구성 %2개 중 %1개가 범위를 통과</translation>
    </message>
    <message>
        <source>Judging legality and memory: %1, %2</source>
        <translation>성립 여부와 메모리 판단 중: %1, %2</translation>
    </message>
    <message>
        <source>Looking into the promising groups of layouts: %1 so far, %2</source>
        <translation>유망한 배치 묶음을 살펴보는 중: 지금까지 %1개, %2</translation>
    </message>
    <message>
        <source>Correct the limit that is marked.</source>
        <translation>표시된 제한을 고치세요.</translation>
    </message>
    <message>
        <source>Not searched yet</source>
        <translation>아직 탐색하지 않음</translation>
    </message>
    <message>
        <source>Cancelled after %1; what was found until then is kept</source>
        <translation>%1 뒤 취소됨, 그때까지 찾은 것은 남습니다</translation>
    </message>
    <message>
        <source>%1 layouts judged in %2</source>
        <translation>병렬 구성 %1개를 %2 만에 판단</translation>
    </message>
    <message>
        <source>The plan or the limits have changed since this search.</source>
        <translation>이 탐색 뒤에 계획이나 제한이 바뀌었습니다.</translation>
    </message>
    <message>
        <source>tokens/s/device</source>
        <translation>토큰/초/장치</translation>
    </message>
    <message>
        <source>Speed, tokens/s</source>
        <translation>속도, 토큰/초</translation>
    </message>
    <message>
        <source>Memory of the fullest rank</source>
        <translation>가장 많이 쓰는 랭크의 메모리</translation>
    </message>
    <message>
        <source>Cost of the training</source>
        <translation>학습 비용</translation>
    </message>
    <message>
        <source>Device-hours of the training</source>
        <translation>학습의 장치·시간</translation>
    </message>
    <message>
        <source>Speed against cost</source>
        <translation>속도 대 비용</translation>
    </message>
    <message numerus="yes">
        <source>%n on the front</source>
        <translation>
            <numerusform>프런트 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>Applied %1 to the plan; Ctrl+Z takes it back.</source>
        <translation>계획에 적용했습니다: %1. Ctrl+Z로 되돌립니다.</translation>
    </message>
    <message>
        <source>Save sweep</source>
        <translation>스윕 저장</translation>
    </message>
    <message numerus="yes">
        <source>Wrote %n layout(s) to %1; run them with slipway --batch.</source>
        <translation>
            <numerusform>%1에 병렬 구성 %n개를 썼습니다. slipway --batch로 실행하세요.</numerusform>
        </translation>
    </message>
    <message>
        <source>Save layouts</source>
        <translation>병렬 구성 저장</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1에 저장했습니다</translation>
    </message>
    <message>
        <source>This plan</source>
        <translation>현재 계획</translation>
    </message>
    <message>
        <source>Axes</source>
        <translation>축</translation>
    </message>
    <message>
        <source>Drag along an axis to keep what passes.</source>
        <translation>축을 따라 끌면 지나가는 구성만 남습니다.</translation>
    </message>
    <message>
        <source>%1: %2 in all</source>
        <translation>%1: 모두 %2</translation>
    </message>
    <message>
        <source>%1: no room</source>
        <translation>%1: 자리 없음</translation>
    </message>
    <message>
        <source>As there is room</source>
        <translation>자리에 맞게</translation>
    </message>
    <message>
        <source>All variants</source>
        <translation>모든 변형</translation>
    </message>
    <message>
        <source>Off: one layout of each choice of degrees, schedule, micro-batch and recomputation, and of those that only swap data against context parallelism or chunks; the rest stand beside it as alternatives. On: every layout by itself.</source>
        <translation>끔: 병렬도, 파이프라인 방식, 마이크로배치, 재계산이 같거나 데이터 병렬과 컨텍스트 병렬, 조각 수만 맞바꾼 것 중 하나만 보이고 나머지는 옆에 대안으로 보입니다. 켬: 모든 병렬 구성을 따로 보입니다.</translation>
    </message>
    <message>
        <source>Applied to the plan: %1; Ctrl+Z takes it back.</source>
        <translation>계획에 적용했습니다: %1. Ctrl+Z로 되돌립니다.</translation>
    </message>
    <message>
        <source>Show axes</source>
        <translation>축 보이기</translation>
    </message>
    <message>
        <source>Hide axes</source>
        <translation>축 숨기기</translation>
    </message>
</context>
<context>
    <name>slipway::gui::SettingsPage</name>
    <message>
        <source>Settings</source>
        <translation>설정</translation>
    </message>
    <message>
        <source>Changes apply at once.</source>
        <translation>바꾸면 바로 적용됩니다.</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>시스템 설정 따름</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>밝게</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>어둡게</translation>
    </message>
    <message>
        <source>General</source>
        <translation>일반</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>언어</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>테마</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>폴더</translation>
    </message>
    <message>
        <source>Home</source>
        <translation>홈</translation>
    </message>
    <message>
        <source>Run folders</source>
        <translation>실행 폴더</translation>
    </message>
    <message>
        <source>Token files</source>
        <translation>토큰 파일</translation>
    </message>
    <message>
        <source>Run index</source>
        <translation>실행 색인</translation>
    </message>
    <message>
        <source>Settings file</source>
        <translation>설정 파일</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>데이터</translation>
    </message>
    <message>
        <source>Rebuild from run folders</source>
        <translation>실행 폴더에서 다시 만들기</translation>
    </message>
    <message>
        <source>Rebuilding the run index…</source>
        <translation>실행 색인을 다시 만드는 중…</translation>
    </message>
    <message numerus="yes">
        <source>Remove runs older than %n day(s) from the trash…</source>
        <translation>
            <numerusform>휴지통에서 %n일 지난 실행 지우기…</numerusform>
        </translation>
    </message>
    <message>
        <source>Empty the trash</source>
        <translation>휴지통 비우기</translation>
    </message>
    <message numerus="yes">
        <source>Run folders that have been in the trash for more than %n day(s) are removed for good.</source>
        <translation>
            <numerusform>휴지통에 %n일 넘게 있던 실행 폴더를 완전히 지웁니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>지우기</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>휴지통</translation>
    </message>
    <message>
        <source>About</source>
        <translation>정보</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>버전</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>라이선스</translation>
    </message>
    <message>
        <source>Trainer</source>
        <translation>트레이너</translation>
    </message>
    <message>
        <source>not found</source>
        <translation>찾지 못함</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>에이전트</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>열기</translation>
    </message>
</context>
<context>
    <name>slipway::gui::SpecForm</name>
    <message>
        <source>Range: %1 to %2</source>
        <translation>범위: %1 ~ %2</translation>
    </message>
    <message>
        <source>At least %1</source>
        <translation>%1 이상</translation>
    </message>
    <message>
        <source>Key: %1</source>
        <translation>키: %1</translation>
    </message>
    <message>
        <source>Differs from the preset: %1</source>
        <translation>프리셋과 다름: %1</translation>
    </message>
    <message>
        <source>Back to %1</source>
        <translation>%1(으)로 되돌리기</translation>
    </message>
    <message>
        <source>Help on this field</source>
        <translation>이 항목 도움말</translation>
    </message>
    <message numerus="yes">
        <source>%n field(s)</source>
        <translation>
            <numerusform>항목 %n개</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::StartPanel</name>
    <message>
        <source>No runs yet</source>
        <translation>아직 실행이 없습니다</translation>
    </message>
    <message>
        <source>A run appears here as soon as it is planned, started or imported. Nothing leaves this computer.</source>
        <translation>계획하거나 시작하거나 가져온 실행이 여기에 나타납니다. 어떤 자료도 이 컴퓨터 밖으로 나가지 않습니다.</translation>
    </message>
    <message>
        <source>Plan a run</source>
        <translation>실행 계획하기</translation>
    </message>
    <message>
        <source>Choose a model and your hardware. Memory, step time and cost are forecast before anything starts.</source>
        <translation>모델과 하드웨어를 고르세요. 시작하기 전에 메모리, 스텝 시간, 비용을 예측합니다.</translation>
    </message>
    <message>
        <source>Train a tiny model here</source>
        <translation>여기서 작은 모델 학습하기</translation>
    </message>
    <message>
        <source>Bring your own run folders</source>
        <translation>가지고 있는 실행 폴더 가져오기</translation>
    </message>
    <message>
        <source>Put them into the run folder, then read them into the index.</source>
        <translation>실행 폴더에 넣은 다음 색인으로 읽어 들입니다.</translation>
    </message>
    <message>
        <source>Read run folders</source>
        <translation>실행 폴더 읽기</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>이 컴퓨터</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>다시 확인</translation>
    </message>
    <message>
        <source>Trainer</source>
        <translation>트레이너</translation>
    </message>
    <message>
        <source>not found beside this program</source>
        <translation>이 프로그램 옆에 없음</translation>
    </message>
    <message>
        <source>found</source>
        <translation>있음</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>프로세서</translation>
    </message>
    <message numerus="yes">
        <source>%n core(s), %1 memory</source>
        <translation>
            <numerusform>코어 %n개, 메모리 %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Measured peak</source>
        <translation>측정한 최대 성능</translation>
    </message>
    <message>
        <source>known</source>
        <translation>있음</translation>
    </message>
    <message>
        <source>Run folder</source>
        <translation>실행 폴더</translation>
    </message>
    <message>
        <source>%1 free</source>
        <translation>여유 %1</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>폴더</translation>
    </message>
    <message>
        <source>Bring runs of other trainers</source>
        <translation>다른 트레이너의 실행 가져오기</translation>
    </message>
    <message>
        <source>Console logs, TensorBoard files and tables of results become runs.</source>
        <translation>콘솔 로그, TensorBoard 파일, 결과 표를 실행으로 만듭니다.</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>가져오기…</translation>
    </message>
    <message>
        <source>A model of about one million parameters on the processor of this computer: one click makes the tokens of a sample text and starts.</source>
        <translation>이 컴퓨터의 프로세서에서 도는 매개변수 약 100만 개의 모델입니다. 한 번 누르면 예제 텍스트의 토큰을 만들고 학습을 시작합니다.</translation>
    </message>
    <message>
        <source>Train it now</source>
        <translation>지금 학습</translation>
    </message>
    <message>
        <source>measured at the first start</source>
        <translation>처음 시작할 때 측정합니다</translation>
    </message>
</context>
<context>
    <name>slipway::gui::StripPlot</name>
    <message>
        <source>No run has this figure.</source>
        <translation>이 수치가 있는 실행이 없습니다.</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) between %1 and %2.</source>
        <translation>
            <numerusform>실행 %n개, %1에서 %2 사이.</numerusform>
        </translation>
    </message>
    <message>
        <source>Run</source>
        <translation>실행</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>값</translation>
    </message>
</context>
<context>
    <name>slipway::gui::TimeSplit</name>
    <message>
        <source>Compute</source>
        <translation>계산</translation>
    </message>
    <message>
        <source>Tensor-parallel traffic, exposed</source>
        <translation>텐서 병렬 통신(노출)</translation>
    </message>
    <message>
        <source>Context-parallel traffic, exposed</source>
        <translation>컨텍스트 병렬 통신(노출)</translation>
    </message>
    <message>
        <source>Expert-parallel traffic, exposed</source>
        <translation>전문가 병렬 통신(노출)</translation>
    </message>
    <message>
        <source>Pipeline traffic, exposed</source>
        <translation>파이프라인 통신(노출)</translation>
    </message>
    <message>
        <source>Pipeline bubble</source>
        <translation>파이프라인 버블</translation>
    </message>
    <message>
        <source>Data-parallel traffic, exposed</source>
        <translation>데이터 병렬 통신(노출)</translation>
    </message>
    <message>
        <source>Optimizer and fixed</source>
        <translation>옵티마이저와 고정 비용</translation>
    </message>
    <message>
        <source>No step time forecast.</source>
        <translation>스텝 시간 예측이 없습니다.</translation>
    </message>
    <message>
        <source>One step takes %1; %2 of it is computing.</source>
        <translation>한 스텝에 %1 걸리며, 그중 %2는 계산입니다.</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>부분</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>시간</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>비율</translation>
    </message>
</context>
<context>
    <name>slipway::gui::TinyRun</name>
    <message>
        <source>The sample text %1 is not on this computer. Install the package dict-wn, or use a text of your own: File &gt; New corpus….</source>
        <translation>예제 텍스트 %1이(가) 이 컴퓨터에 없습니다. dict-wn 패키지를 설치하거나, 파일 &gt; 새 말뭉치…에서 직접 텍스트를 쓰세요.</translation>
    </message>
</context>
<context>
    <name>slipway::gui::WhatIfView</name>
    <message>
        <source>Baseline</source>
        <translation>기준</translation>
    </message>
    <message>
        <source>Keep the plan as it is now</source>
        <translation>지금 계획을 기준으로</translation>
    </message>
    <message>
        <source>Swap</source>
        <translation>맞바꾸기</translation>
    </message>
    <message>
        <source>Plan and baseline change places; Ctrl+Z takes the plan back.</source>
        <translation>계획과 기준이 자리를 바꿉니다. Ctrl+Z로 계획을 되돌립니다.</translation>
    </message>
    <message>
        <source>Drop</source>
        <translation>지우기</translation>
    </message>
    <message>
        <source>Field</source>
        <translation>항목</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>계획</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>수치</translation>
    </message>
    <message>
        <source>What changed</source>
        <translation>바뀐 것</translation>
    </message>
    <message>
        <source>Memory of the fullest rank</source>
        <translation>가장 많이 쓰는 랭크의 메모리</translation>
    </message>
    <message>
        <source>The config of %1 cannot be read.</source>
        <translation>%1: 설정을 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>Nothing to compare with yet.</source>
        <translation>아직 비교할 기준이 없습니다.</translation>
    </message>
    <message>
        <source>Keep the plan as it is now, then change it: every figure stands beside the one before. Or choose a run above as baseline.</source>
        <translation>지금 계획을 기준으로 두고 바꿔 보세요. 모든 수치가 이전 값 옆에 섭니다. 위에서 실행을 기준으로 고를 수도 있습니다.</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>수치</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>차이</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>변화</translation>
    </message>
    <message>
        <source>both %1</source>
        <translation>둘 다 %1</translation>
    </message>
    <message>
        <source>baseline %1, plan %2</source>
        <translation>기준 %1, 계획 %2</translation>
    </message>
    <message>
        <source>no field differs</source>
        <translation>다른 항목 없음</translation>
    </message>
    <message numerus="yes">
        <source>%n field(s) differ</source>
        <translation>
            <numerusform>항목 %n개 다름</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, pipeline rank %2 against %3</source>
        <translation>%1, 파이프라인 랭크 %2 대 %3</translation>
    </message>
    <message>
        <source>The plan is the baseline.</source>
        <translation>계획이 기준과 같습니다.</translation>
    </message>
    <message>
        <source>Throughput %1, memory %2.</source>
        <translation>처리량 %1, 메모리 %2.</translation>
    </message>
    <message>
        <source>None</source>
        <translation>없음</translation>
    </message>
</context>
<context>
    <name>slipway::gui::WhyPane</name>
    <message>
        <source>Why not this layout?</source>
        <translation>왜 이 병렬 구성이 아닌가?</translation>
    </message>
    <message>
        <source>tp=8,pp=4,zero_stage=1 or config</source>
        <translation>tp=8,pp=4,zero_stage=1 또는 config</translation>
    </message>
    <message>
        <source>Layout to explain</source>
        <translation>설명할 병렬 구성</translation>
    </message>
    <message>
        <source>Name the axes that differ from the plan; config is the plan itself.</source>
        <translation>계획과 다른 축을 쓰세요. config는 계획 자체입니다.</translation>
    </message>
    <message>
        <source>Explain</source>
        <translation>설명</translation>
    </message>
</context>
</TS>
