<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ko_KR">
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
    <message>
        <source>This plan is not among the fastest that were ranked</source>
        <translation>이 계획은 순위를 매긴 가장 빠른 구성에 들지 않습니다</translation>
    </message>
</context>
<context>
    <name>BoardData</name>
    <message>
        <source>attempt %1 resumed</source>
        <translation>시도 %1 재개</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>실행</translation>
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
        <source>2: also gradients</source>
        <translation>2: 그래디언트까지</translation>
    </message>
    <message>
        <source>3: also weights</source>
        <translation>3: 가중치까지</translation>
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
        <source>Forecast basis</source>
        <translation>예측 근거</translation>
    </message>
    <message>
        <source>%1, noise</source>
        <translation>%1, 잡음</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>시간</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>스텝</translation>
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
    <name>FieldEditor</name>
    <message>
        <source>default</source>
        <translation>기본값</translation>
    </message>
</context>
<context>
    <name>FieldsData</name>
    <message>
        <source>Layout</source>
        <translation>병렬 구성</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>학습</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>옵티마이저</translation>
    </message>
    <message>
        <source>Other settings</source>
        <translation>기타 설정</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>실행</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>결과</translation>
    </message>
    <message>
        <source>median of %1 repeats, %2 – %3</source>
        <translation>반복 %1회의 중앙값, %2 – %3</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>실패</translation>
    </message>
    <message>
        <source>%1 by %2 and %3: %4.</source>
        <translation>%2 및 %3별 %1: %4.</translation>
    </message>
    <message>
        <source>The first %1 values of each field are shown.</source>
        <translation>필드마다 처음 %1개 값만 표시합니다.</translation>
    </message>
    <message>
        <source>%1 and %2, the two best, differ by %3: within the spread of repeats, so noise.</source>
        <translation>가장 좋은 두 실행 %1, %2의 차이는 %3입니다. 반복 실행의 편차 안이므로 잡음입니다.</translation>
    </message>
    <message>
        <source>%1 is ahead of %2 by %3, more than the spread of repeats.</source>
        <translation>%1: %2보다 %3 앞섭니다. 반복 실행의 편차보다 큰 차이입니다.</translation>
    </message>
    <message>
        <source>%1 ran</source>
        <translation>완료 %1</translation>
    </message>
    <message>
        <source>%1 failed</source>
        <translation>실패 %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%2개 중 %1개</translation>
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
        <source>Pareto-optimal, but not among the best for the objective</source>
        <translation>파레토 최적이지만, 요청한 기준의 상위 목록에는 없습니다</translation>
    </message>
    <message>
        <source>Pareto-optimal</source>
        <translation>파레토 최적</translation>
    </message>
    <message>
        <source>No other layout improves speed, memory or cost without worsening another</source>
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
    <name>Label</name>
    <message>
        <source>80 %: %1 – %2</source>
        <translation>80 % 구간 %1 – %2</translation>
    </message>
    <message>
        <source>Range: %1 – %2</source>
        <translation>범위 %1 – %2</translation>
    </message>
</context>
<context>
    <name>LayoutWords</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>No layout has %1 %2.</source>
        <translation>%1 %2인 병렬 구성은 있을 수 없습니다.</translation>
    </message>
</context>
<context>
    <name>Nodes</name>
    <message>
        <source>Reach</source>
        <translation>도달</translation>
    </message>
    <message>
        <source>Host key</source>
        <translation>호스트 키</translation>
    </message>
    <message>
        <source>Login</source>
        <translation>로그인</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>에이전트</translation>
    </message>
    <message>
        <source>Trainer</source>
        <translation>트레이너</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>디스크</translation>
    </message>
    <message>
        <source>Clock</source>
        <translation>시계</translation>
    </message>
    <message>
        <source>Interface</source>
        <translation>인터페이스</translation>
    </message>
    <message>
        <source>The host key is not known yet: %1. Compare it with the fingerprint that the node itself prints.</source>
        <translation>아직 모르는 호스트 키입니다: %1. 노드에서 직접 출력한 지문과 비교하세요.</translation>
    </message>
    <message>
        <source>There is no trainer yet; Set up installs it.</source>
        <translation>아직 트레이너가 없습니다. 설치를 누르면 설치됩니다.</translation>
    </message>
    <message>
        <source>The trainer&apos;s version is not this program&apos;s; Set up installs the right one.</source>
        <translation>트레이너의 버전이 이 프로그램과 다릅니다. 설치를 누르면 맞는 버전을 설치합니다.</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>준비됨</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>실행 중</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>확인 중…</translation>
    </message>
    <message>
        <source>Setting up…</source>
        <translation>설치 중…</translation>
    </message>
    <message>
        <source>Not checked</source>
        <translation>확인 안 함</translation>
    </message>
    <message>
        <source>No contact</source>
        <translation>연결 안 됨</translation>
    </message>
    <message>
        <source>Login needed</source>
        <translation>로그인 필요</translation>
    </message>
    <message>
        <source>Key unknown</source>
        <translation>모르는 키</translation>
    </message>
    <message>
        <source>Host key changed</source>
        <translation>호스트 키 바뀜</translation>
    </message>
    <message>
        <source>Set-up needed</source>
        <translation>설치 필요</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>문제 있음</translation>
    </message>
    <message>
        <source>The link was lost during the check.</source>
        <translation>확인하는 동안 연결이 끊겼습니다.</translation>
    </message>
    <message>
        <source>%1 Check opens a dialog for a password where the node requires one.</source>
        <translation>%1 노드가 암호를 요구하면 확인을 누를 때 묻습니다.</translation>
    </message>
    <message>
        <source>now</source>
        <translation>방금</translation>
    </message>
    <message>
        <source>%1, port %2</source>
        <translation>%1, 포트 %2</translation>
    </message>
    <message>
        <source>passed</source>
        <translation>통과</translation>
    </message>
    <message>
        <source>action needed</source>
        <translation>조치 필요</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>중단됨</translation>
    </message>
    <message>
        <source>underway</source>
        <translation>진행 중</translation>
    </message>
    <message>
        <source>not tried</source>
        <translation>아직 못 함</translation>
    </message>
    <message>
        <source>%1 of %2 passed</source>
        <translation>%2개 중 %1개 통과</translation>
    </message>
    <message>
        <source>%1 s ago</source>
        <translation>%1초 전</translation>
    </message>
    <message>
        <source>%1 min ago</source>
        <translation>%1분 전</translation>
    </message>
    <message>
        <source>%1 h ago</source>
        <translation>%1시간 전</translation>
    </message>
    <message>
        <source>%1 d ago</source>
        <translation>%1일 전</translation>
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
    <name>SearchPictures</name>
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
        <translation>조각</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>마이크로배치</translation>
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
        <source>Runs: move to trash</source>
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
    <name>SweepCells</name>
    <message>
        <source>%1 of %2 done</source>
        <translation>%2개 중 %1개 완료</translation>
    </message>
    <message>
        <source>%1 failed</source>
        <translation>%1개 실패</translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation>%2스텝 중 %1스텝</translation>
    </message>
    <message>
        <source>running: %1</source>
        <translation>실행 중: %1</translation>
    </message>
    <message>
        <source>%1 skipped</source>
        <translation>%1개 건너뜀</translation>
    </message>
    <message>
        <source>median of %1 repeats, %2 – %3</source>
        <translation>반복 %1회의 중앙값, %2 – %3</translation>
    </message>
    <message>
        <source>Forecast: %1</source>
        <translation>예측: %1</translation>
    </message>
    <message>
        <source>running</source>
        <translation>실행 중</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>대기</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>메모리 부족</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>실패</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>건너뜀</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>측정 없음</translation>
    </message>
    <message>
        <source>%1 trials: %2 ran, %3 failed, %4 running, %5 waiting, %6 skipped.</source>
        <translation>시행 %1개: 완료 %2개, 실패 %3개, 실행 중 %4개, 대기 %5개, 건너뜀 %6개.</translation>
    </message>
    <message>
        <source>Best: %1, %2.</source>
        <translation>최고: %1, %2.</translation>
    </message>
</context>
<context>
    <name>SweepData</name>
    <message>
        <source>default</source>
        <translation>기본값</translation>
    </message>
    <message>
        <source>Out of memory</source>
        <translation>메모리 부족</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>실행 중</translation>
    </message>
    <message>
        <source>Pausing</source>
        <translation>일시 중지하는 중</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>중지하는 중</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>일시 중지됨</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>중단됨</translation>
    </message>
    <message>
        <source>Completed</source>
        <translation>완료</translation>
    </message>
    <message>
        <source>Completed with failures</source>
        <translation>완료, 실패 있음</translation>
    </message>
</context>
<context>
    <name>Tables</name>
    <message>
        <source>No room for: %1. A click shows all columns.</source>
        <translation>자리가 없어 숨긴 열: %1. 클릭하면 모든 열을 표시합니다.</translation>
    </message>
</context>
<context>
    <name>slipway::gui::AlertsForm</name>
    <message>
        <source>Show alerts as notifications of the desktop</source>
        <translation>데스크톱 알림으로 표시</translation>
    </message>
    <message>
        <source>Threshold of %1</source>
        <translation>%1의 임계값</translation>
    </message>
    <message>
        <source>Remove hook</source>
        <translation>훅 제거</translation>
    </message>
    <message>
        <source>No hook: `slipway alerts set-hook -- PROGRAM` sets a program that each alert starts.</source>
        <translation>훅 없음. `slipway alerts set-hook -- PROGRAM`으로 알림마다 실행할 프로그램을 정합니다.</translation>
    </message>
    <message>
        <source>Hook: %1</source>
        <translation>훅: %1</translation>
    </message>
</context>
<context>
    <name>slipway::gui::AlternativesPane</name>
    <message>
        <source>Step time within 1 %</source>
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
        <source>Layouts with nearly the same forecast as the selected one: shard groups, offload, layers of the end stages, ranks swapped between data and context parallelism, chunks per rank. Enter applies one.</source>
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
        <source>%n nearly equal layout(s), Enter applies one</source>
        <translation>
            <numerusform>거의 같은 병렬 구성 %n개, Enter로 적용</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::AmountEdit</name>
    <message>
        <source>A number such as 1e23, 70B or 1.4T</source>
        <translation>1e23, 70B, 1.4T 같은 수</translation>
    </message>
    <message>
        <source>Type a number above 0, such as 1e23, 70B or 1.4T.</source>
        <translation>1e23, 70B, 1.4T처럼 0보다 큰 수를 입력하세요.</translation>
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
    <name>slipway::gui::AnswerTable</name>
    <message>
        <source>Formula</source>
        <translation>식</translation>
    </message>
    <message>
        <source>Given, not computed.</source>
        <translation>계산한 값이 아니라 주어진 값입니다.</translation>
    </message>
    <message>
        <source>Source: %1</source>
        <translation>출처: %1</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>수치</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>값</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>출처</translation>
    </message>
</context>
<context>
    <name>slipway::gui::AskDialog</name>
    <message>
        <source>Question of ssh</source>
        <translation>ssh의 질문</translation>
    </message>
    <message>
        <source>ssh waits for you at %1</source>
        <translation>ssh가 %1에서 기다립니다</translation>
    </message>
    <message>
        <source>Question of ssh on the way to %1</source>
        <translation>%1에 연결하는 중에 ssh가 묻습니다</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>답하기</translation>
    </message>
    <message>
        <source>The answer goes to ssh alone; Slipway keeps none of it.</source>
        <translation>답은 ssh에만 전달되며 Slipway에는 남지 않습니다.</translation>
    </message>
    <message>
        <source>Remember it in the keychain of this computer</source>
        <translation>이 컴퓨터의 키체인에 저장</translation>
    </message>
    <message>
        <source>The answer goes to ssh alone. With the keychain, launches and sweeps can log in without you; Slipway itself keeps nothing.</source>
        <translation>답은 ssh에만 전달됩니다. 키체인에 저장하면 실행과 스윕이 사람 없이도 로그인할 수 있으며, Slipway 자체에는 남지 않습니다.</translation>
    </message>
    <message>
        <source>The answer goes to ssh alone; Slipway keeps none of it. The keychain needs the program secret-tool (Debian: libsecret-tools).</source>
        <translation>답은 ssh에만 전달되며 Slipway에는 남지 않습니다. 키체인을 쓰려면 secret-tool 프로그램이 필요합니다(Debian: libsecret-tools).</translation>
    </message>
    <message>
        <source>No</source>
        <translation>아니요</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>예</translation>
    </message>
</context>
<context>
    <name>slipway::gui::BackupForm</name>
    <message>
        <source>A backup is a folder with the run index and its points, saved views, boards, sweep files, nodes, alert rules, Playbook notes, your devices and prices, and these settings. It does not contain run folders with their logs and checkpoints, sweeps, and token files: copy these with any tool.</source>
        <translation>백업은 실행 색인과 그 데이터 점, 저장된 보기, 보드, 스윕 파일, 노드, 알림 규칙, Playbook 메모, 직접 추가한 장치와 가격, 이 설정을 담은 폴더입니다. 로그와 체크포인트가 있는 실행 폴더, 스윕, 토큰 파일은 들어 있지 않으므로 다른 도구로 복사하세요.</translation>
    </message>
    <message>
        <source>Back up…</source>
        <translation>백업…</translation>
    </message>
    <message>
        <source>Restore…</source>
        <translation>복원…</translation>
    </message>
    <message>
        <source>Name of the backup folder</source>
        <translation>백업 폴더 이름</translation>
    </message>
    <message>
        <source>Backing up…</source>
        <translation>백업하는 중…</translation>
    </message>
    <message>
        <source>Backed up %1 files, %2, to %3.</source>
        <translation>파일 %1개(%2)를 %3에 백업했습니다.</translation>
    </message>
    <message>
        <source>Choose the backup.json of a backup</source>
        <translation>백업의 backup.json 선택</translation>
    </message>
    <message>
        <source>Restore the backup?</source>
        <translation>백업을 복원할까요?</translation>
    </message>
    <message>
        <source>The run index, views, boards, nodes, rules and settings become those of the backup. What they replace is kept in a folder of the home; run folders stay as they are.</source>
        <translation>실행 색인, 보기, 보드, 노드, 규칙, 설정이 백업의 것으로 바뀝니다. 바뀌기 전의 파일은 홈 안의 폴더에 보관되고, 실행 폴더는 그대로입니다.</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>복원</translation>
    </message>
    <message>
        <source>Restoring…</source>
        <translation>복원하는 중…</translation>
    </message>
    <message>
        <source>Restored %1 files.</source>
        <translation>파일 %1개를 복원했습니다.</translation>
    </message>
    <message>
        <source>Restored %1 files; what was there before is in %2.</source>
        <translation>파일 %1개를 복원했습니다. 이전 파일은 %2에 있습니다.</translation>
    </message>
</context>
<context>
    <name>slipway::gui::BoardView</name>
    <message>
        <source>Board</source>
        <translation>보드</translation>
    </message>
    <message>
        <source>Save board…</source>
        <translation>보드 저장…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>삭제</translation>
    </message>
    <message>
        <source>Horizontal axis of the board</source>
        <translation>보드의 가로축</translation>
    </message>
    <message>
        <source>by step</source>
        <translation>스텝별</translation>
    </message>
    <message>
        <source>by tokens</source>
        <translation>토큰별</translation>
    </message>
    <message>
        <source>by time</source>
        <translation>시간별</translation>
    </message>
    <message>
        <source>by FLOPs</source>
        <translation>FLOPs별</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>스무딩</translation>
    </message>
    <message>
        <source>Log y</source>
        <translation>로그 y</translation>
    </message>
    <message>
        <source>Clip outliers</source>
        <translation>이상값 자르기</translation>
    </message>
    <message>
        <source>Min–max band</source>
        <translation>최소–최대 띠</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>이벤트</translation>
    </message>
    <message>
        <source>Runs of the board</source>
        <translation>보드의 실행</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>실행</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>지표</translation>
    </message>
    <message>
        <source>Values at the pointer</source>
        <translation>포인터 위치의 값</translation>
    </message>
    <message>
        <source>Latest values</source>
        <translation>최신 값</translation>
    </message>
    <message>
        <source>not saved</source>
        <translation>저장되지 않음</translation>
    </message>
    <message>
        <source>Save board</source>
        <translation>보드 저장</translation>
    </message>
    <message>
        <source>Name of the board</source>
        <translation>보드 이름</translation>
    </message>
    <message>
        <source>Saved the board %1.</source>
        <translation>보드 %1 저장됨.</translation>
    </message>
    <message>
        <source>Delete the board?</source>
        <translation>보드를 삭제할까요?</translation>
    </message>
    <message>
        <source>The board %1 is deleted; its runs stay.</source>
        <translation>보드 %1만 삭제되고 실행은 남습니다.</translation>
    </message>
    <message>
        <source>none</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>%1 on this board</source>
        <translation>이 보드에 %1개</translation>
    </message>
    <message>
        <source>The runs cannot be read.</source>
        <translation>실행을 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>No run is on the board.</source>
        <translation>보드에 실행이 없습니다.</translation>
    </message>
    <message>
        <source>Select runs in the table and press Compare.</source>
        <translation>표에서 실행을 선택하고 비교를 누르세요.</translation>
    </message>
    <message>
        <source>No metric is on the board.</source>
        <translation>보드에 지표가 없습니다.</translation>
    </message>
    <message>
        <source>Choose metrics on the left.</source>
        <translation>왼쪽에서 지표를 선택하세요.</translation>
    </message>
    <message>
        <source>None of these runs recorded this metric.</source>
        <translation>이 지표를 기록한 실행이 없습니다.</translation>
    </message>
    <message>
        <source>line: EMA %1</source>
        <translation>선: EMA %1</translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s), no bands</source>
        <translation>
            <numerusform>실행 %Ln개, 띠 없음</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n개 더</numerusform>
        </translation>
    </message>
    <message>
        <source>the first %1 of %2 runs</source>
        <translation>실행 %2개 중 처음 %1개</translation>
    </message>
    <message>
        <source>with the difference from %1</source>
        <translation>%1 대비 차이 포함</translation>
    </message>
    <message>
        <source>Save the points</source>
        <translation>점 데이터 저장</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1 저장됨</translation>
    </message>
    <message>
        <source>Reading the runs…</source>
        <translation>실행을 읽는 중…</translation>
    </message>
</context>
<context>
    <name>slipway::gui::BubbleRow</name>
    <message>
        <source>Formula, inputs and source</source>
        <translation>수식, 입력값, 출처</translation>
    </message>
    <message>
        <source>How it is measured</source>
        <translation>측정 방법</translation>
    </message>
    <message>
        <source>equal stages, free messages</source>
        <translation>단계가 같고 통신 비용이 없을 때</translation>
    </message>
    <message>
        <source>this schedule&apos;s passes and messages</source>
        <translation>이 스케줄의 계산과 통신</translation>
    </message>
    <message>
        <source>In theory %1</source>
        <translation>이론값 %1</translation>
    </message>
    <message>
        <source>Simulated %1</source>
        <translation>시뮬레이션 %1</translation>
    </message>
    <message>
        <source>Observed %1</source>
        <translation>관측값 %1</translation>
    </message>
    <message>
        <source>not recorded</source>
        <translation>기록되지 않음</translation>
    </message>
    <message>
        <source>idle share of the ranks, median after warm-up</source>
        <translation>랭크의 유휴 비율, 워밍업 이후 중앙값</translation>
    </message>
    <message>
        <source>idle share of the ranks, latest step</source>
        <translation>랭크의 유휴 비율, 최근 스텝</translation>
    </message>
    <message>
        <source>1 − time in passes ÷ (stages × time from the first pass to the last), mean over the pipelines, in each step. Stragglers and exposed messages are part of it.</source>
        <translation>1 − 계산 시간 ÷ (단계 수 × 첫 계산부터 마지막 계산까지의 시간)을 스텝마다 파이프라인 평균으로 구합니다. 느린 랭크와 가려지지 않은 통신도 포함됩니다.</translation>
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
        <source>Table copied.</source>
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
        <source>Drag to change the order. Space shows or hides a run, B makes it the baseline, Del removes it.</source>
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
        <translation>스무딩</translation>
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
        <source>%Ln run(s), baseline A</source>
        <translation>
            <numerusform>실행 %Ln개, 기준 A</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2 fields differ</source>
        <translation>항목 %2개 중 %1개가 다름</translation>
    </message>
    <message>
        <source>Differences are marked only beyond the spread of repeated runs. Percentages after a forecast are its error against the measurement.</source>
        <translation>반복 실행의 편차를 넘을 때만 더 좋거나 나쁨을 표시합니다. 예측 뒤의 백분율은 측정값에 대한 오차입니다.</translation>
    </message>
    <message>
        <source>Single runs have no known spread, so differences below 5 % are not marked. Percentages after a forecast are its error against the measurement.</source>
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
        <source>not recorded by these runs</source>
        <translation>이 실행들에는 기록이 없습니다</translation>
    </message>
    <message>
        <source>%1 by %2</source>
        <translation>%2에 따른 %1</translation>
    </message>
    <message>
        <source>%1, tick: forecast</source>
        <translation>%1, 눈금은 예측</translation>
    </message>
    <message>
        <source>tick: forecast</source>
        <translation>눈금은 예측</translation>
    </message>
    <message>
        <source>No run selected.</source>
        <translation>선택한 실행이 없습니다.</translation>
    </message>
    <message>
        <source>These runs did not record this figure. Runs of result tables have no steps; the table below compares their figures.</source>
        <translation>이 수치를 기록한 실행이 없습니다. 결과 표에서 가져온 실행에는 스텝이 없으므로 아래 표에서 수치를 비교하세요.</translation>
    </message>
    <message>
        <source>Views of the comparison</source>
        <translation>비교 보기</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>요약</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>차트</translation>
    </message>
    <message>
        <source>Board</source>
        <translation>보드</translation>
    </message>
    <message>
        <source>Why slower</source>
        <translation>느린 이유</translation>
    </message>
    <message>
        <source>hollow: the newest %1 of %2 other runs</source>
        <translation>빈 원: 다른 실행 %2개 중 최신 %1개</translation>
    </message>
    <message>
        <source>Report…</source>
        <translation>보고서…</translation>
    </message>
    <message numerus="yes">
        <source>%n not recorded by every run</source>
        <translation>
            <numerusform>%n개는 일부 실행에 기록이 없음</numerusform>
        </translation>
    </message>
    <message>
        <source>Plot</source>
        <translation>그래프</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) without a value</source>
        <translation>
            <numerusform>값이 없는 실행 %n개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Reading %Ln run(s)…</source>
        <translation>
            <numerusform>실행 %Ln개를 읽는 중…</numerusform>
        </translation>
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
    <name>slipway::gui::CostView</name>
    <message>
        <source>Run</source>
        <translation>실행</translation>
    </message>
    <message>
        <source>Money</source>
        <translation>금액</translation>
    </message>
    <message>
        <source>Energy</source>
        <translation>에너지</translation>
    </message>
    <message>
        <source>Failures</source>
        <translation>고장</translation>
    </message>
    <message>
        <source>The open plan</source>
        <translation>열린 계획</translation>
    </message>
    <message>
        <source>Typed figures</source>
        <translation>입력한 수치</translation>
    </message>
    <message>
        <source>Cost of</source>
        <translation>비용 대상</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>수치</translation>
    </message>
    <message>
        <source>Buy or rent</source>
        <translation>구매와 임대</translation>
    </message>
    <message>
        <source>one device; without power and hosting</source>
        <translation>장치 하나, 전력과 호스팅 제외</translation>
    </message>
    <message>
        <source>Offers</source>
        <translation>제공 가격</translation>
    </message>
    <message>
        <source>offers for this device, cheapest first</source>
        <translation>이 장치의 시세, 싼 순서</translation>
    </message>
    <message>
        <source>Device-hours</source>
        <translation>장치 시간</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>학습</translation>
    </message>
    <message>
        <source>%1 with failures</source>
        <translation>고장 포함 %1</translation>
    </message>
    <message>
        <source>carbon needs g/kWh</source>
        <translation>탄소에는 g/kWh가 필요</translation>
    </message>
    <message>
        <source>Failures expected</source>
        <translation>예상 고장</translation>
    </message>
    <message>
        <source>one each %1</source>
        <translation>%1마다 한 번</translation>
    </message>
    <message>
        <source>Buying pays after</source>
        <translation>구매가 유리해지는 시점</translation>
    </message>
    <message>
        <source>of renting one device</source>
        <translation>장치 하나를 임대할 때</translation>
    </message>
    <message>
        <source>needs a purchase price</source>
        <translation>구매 가격이 필요</translation>
    </message>
    <message>
        <source>Hours</source>
        <translation>시간</translation>
    </message>
    <message>
        <source>Renting</source>
        <translation>임대</translation>
    </message>
    <message>
        <source>Buying</source>
        <translation>구매</translation>
    </message>
    <message>
        <source>What does the run cost?</source>
        <translation>이 실행의 비용은 얼마일까?</translation>
    </message>
</context>
<context>
    <name>slipway::gui::CountBars</name>
    <message>
        <source>Reason</source>
        <translation>이유</translation>
    </message>
    <message>
        <source>Trials</source>
        <translation>시행</translation>
    </message>
</context>
<context>
    <name>slipway::gui::CurvePlot</name>
    <message>
        <source>%1 by %2</source>
        <translation>%2별 %1</translation>
    </message>
    <message>
        <source>%1 (log scale)</source>
        <translation>%1(로그 눈금)</translation>
    </message>
    <message>
        <source>%1 at %2 (%3)</source>
        <translation>%2에서 %1(%3)</translation>
    </message>
    <message numerus="yes">
        <source>%1 by %2, %n curve(s). %3</source>
        <translation>
            <numerusform>%2별 %1, 곡선 %n개. %3</numerusform>
        </translation>
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
        <source>Per node</source>
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
        <source>from the links; none measured</source>
        <translation>링크 값 사용(측정 없음)</translation>
    </message>
    <message numerus="yes">
        <source>%n curve(s): %1</source>
        <translation>
            <numerusform>곡선 %n개: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Collective times come from the links. Click to load measurements: nccl-tests, slipway-trainer bench, or a table.</source>
        <translation>집합 통신 시간을 링크 값으로 계산합니다. 누르면 nccl-tests, slipway-trainer bench 또는 표의 측정값을 불러옵니다.</translation>
    </message>
    <message>
        <source>Measured collectives override the links. Source: %1</source>
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
        <source>Meaning of GB/s in a table</source>
        <translation>표의 GB/s가 뜻하는 것</translation>
    </message>
    <message>
        <source>For tables (CSV): bytes sent per rank in a ring (busbw of nccl-tests) or bytes of the whole tensor (algbw), per second. Other files specify it.</source>
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
    <name>slipway::gui::DevicesView</name>
    <message>
        <source>Filter of devices and prices</source>
        <translation>장치와 가격 필터</translation>
    </message>
    <message>
        <source>Filter, such as nvidia 80</source>
        <translation>필터, 예: nvidia 80</translation>
    </message>
    <message>
        <source>yours</source>
        <translation>사용자</translation>
    </message>
    <message>
        <source>library</source>
        <translation>라이브러리</translation>
    </message>
    <message>
        <source>changed by you</source>
        <translation>사용자가 바꿈</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>메모리</translation>
    </message>
    <message>
        <source>Bandwidth</source>
        <translation>대역폭</translation>
    </message>
    <message>
        <source>bf16 peak</source>
        <translation>bf16 최고 성능</translation>
    </message>
    <message>
        <source>Power, W</source>
        <translation>전력, W</translation>
    </message>
    <message>
        <source>A node</source>
        <translation>노드당</translation>
    </message>
    <message>
        <source>Link</source>
        <translation>링크</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>수치</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>Offer</source>
        <translation>제공 업체</translation>
    </message>
    <message>
        <source>Price per hour</source>
        <translation>시간당 가격</translation>
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
        <source>Prices</source>
        <translation>가격</translation>
    </message>
    <message>
        <source>Currency</source>
        <translation>통화</translation>
    </message>
    <message>
        <source>Add price</source>
        <translation>가격 추가</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>제거</translation>
    </message>
    <message>
        <source>of one device for one hour; yours are bold</source>
        <translation>장치 하나의 시간당 가격, 사용자 가격은 굵게</translation>
    </message>
    <message>
        <source>Figures to change</source>
        <translation>바꿀 수치</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>수치</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>값</translation>
    </message>
    <message>
        <source>Figures with their sources</source>
        <translation>수치와 출처</translation>
    </message>
    <message>
        <source>Back to the library&apos;s</source>
        <translation>라이브러리 값으로</translation>
    </message>
    <message>
        <source>Your devices cannot be read: %1</source>
        <translation>사용자 장치를 읽을 수 없습니다: %1</translation>
    </message>
    <message>
        <source>you</source>
        <translation>사용자</translation>
    </message>
    <message>
        <source>Remove this device</source>
        <translation>이 장치 제거</translation>
    </message>
    <message>
        <source>%1: %2 is yours now; %3</source>
        <translation>%1: %2 값을 사용자가 바꿨습니다. %3</translation>
    </message>
    <message>
        <source>%1: the library&apos;s figures are back.</source>
        <translation>%1: 라이브러리 수치로 되돌렸습니다.</translation>
    </message>
    <message>
        <source>A price needs an offer, a number of at least 0, a currency such as USD and a source.</source>
        <translation>가격에는 제공 업체, 0 이상의 수, USD 같은 통화, 출처가 필요합니다.</translation>
    </message>
    <message>
        <source>%1: price of %2 added.</source>
        <translation>%1: %2 가격을 추가했습니다.</translation>
    </message>
    <message>
        <source>%1 devices, %2 with figures of yours; %3</source>
        <translation>장치 %1개, 그중 사용자 수치 %2개, %3</translation>
    </message>
    <message>
        <source>Plan on %1</source>
        <translation>%1에서 계획</translation>
    </message>
    <message>
        <source>Devices and prices</source>
        <translation>장치와 가격</translation>
    </message>
    <message>
        <source>Plan on this device</source>
        <translation>이 장치로 계획하기</translation>
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
    <name>slipway::gui::ExportDialog</name>
    <message>
        <source>Megatron-LM: arguments</source>
        <translation>Megatron-LM: 인수</translation>
    </message>
    <message>
        <source>torchtitan: TOML</source>
        <translation>torchtitan: TOML</translation>
    </message>
    <message>
        <source>nanotron: YAML</source>
        <translation>nanotron: YAML</translation>
    </message>
    <message>
        <source>DeepSpeed: JSON, without the model</source>
        <translation>DeepSpeed: JSON, 모델 제외</translation>
    </message>
    <message>
        <source>Export to another framework</source>
        <translation>다른 프레임워크로 내보내기</translation>
    </message>
    <message>
        <source>Framework</source>
        <translation>프레임워크</translation>
    </message>
    <message>
        <source>Not expressed</source>
        <translation>표현할 수 없음</translation>
    </message>
    <message>
        <source>Field</source>
        <translation>필드</translation>
    </message>
    <message>
        <source>Value here</source>
        <translation>이 계획의 값</translation>
    </message>
    <message>
        <source>The file</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>복사</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>저장…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
    <message>
        <source>Every field of the plan is expressed.</source>
        <translation>계획의 모든 필드를 표현할 수 있습니다.</translation>
    </message>
    <message numerus="yes">
        <source>%n field(s) cannot be expressed and will be lost.</source>
        <translation>
            <numerusform>필드 %n개는 표현할 수 없어 파일에 남지 않습니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>Save for another framework</source>
        <translation>다른 프레임워크용으로 저장</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1 저장됨</translation>
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
    <message>
        <source>Reason</source>
        <translation>이유</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>실패</translation>
    </message>
    <message numerus="yes">
        <source>%n point(s) ≤ 0</source>
        <translation>
            <numerusform>0 이하인 점 %n개</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::FieldsView</name>
    <message>
        <source>none</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>Field of the charts</source>
        <translation>차트의 필드</translation>
    </message>
    <message>
        <source>Colour field</source>
        <translation>색을 정하는 필드</translation>
    </message>
    <message>
        <source>Field that divides the charts</source>
        <translation>차트를 나누는 필드</translation>
    </message>
    <message>
        <source>Values of the charts</source>
        <translation>차트의 값</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>측정</translation>
    </message>
    <message>
        <source>Forecast</source>
        <translation>예측</translation>
    </message>
    <message>
        <source>Measured against forecast</source>
        <translation>예측 대비 측정</translation>
    </message>
    <message>
        <source>Kind of the charts</source>
        <translation>차트 종류</translation>
    </message>
    <message>
        <source>Points</source>
        <translation>점</translation>
    </message>
    <message>
        <source>Boxes over repeats</source>
        <translation>반복 상자 그림</translation>
    </message>
    <message>
        <source>Log x</source>
        <translation>로그 x</translation>
    </message>
    <message>
        <source>Log y</source>
        <translation>로그 y</translation>
    </message>
    <message>
        <source>Field</source>
        <translation>필드</translation>
    </message>
    <message>
        <source>Colour</source>
        <translation>색</translation>
    </message>
    <message>
        <source>Divide by</source>
        <translation>나누기</translation>
    </message>
    <message>
        <source>Runs of the charts</source>
        <translation>차트의 실행</translation>
    </message>
    <message>
        <source>Compared runs</source>
        <translation>비교 중인 실행</translation>
    </message>
    <message>
        <source>All runs</source>
        <translation>모든 실행</translation>
    </message>
    <message>
        <source>Filter of the charts</source>
        <translation>차트의 필터</translation>
    </message>
    <message>
        <source>Filter, such as nodes:8 mfu&gt;30</source>
        <translation>필터, 예: nodes:8(노드 8개) mfu&gt;30</translation>
    </message>
    <message>
        <source>Figure of the map</source>
        <translation>히트맵의 수치</translation>
    </message>
    <message>
        <source>Rows of the map</source>
        <translation>히트맵의 행</translation>
    </message>
    <message>
        <source>Columns of the map</source>
        <translation>히트맵의 열</translation>
    </message>
    <message>
        <source>Compare the selection</source>
        <translation>선택한 실행 비교</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>지우기</translation>
    </message>
    <message>
        <source>No run matches.</source>
        <translation>일치하는 실행이 없습니다.</translation>
    </message>
    <message>
        <source>The runs cannot be shown.</source>
        <translation>실행을 표시할 수 없습니다.</translation>
    </message>
    <message>
        <source>Change the filter, or compare other runs.</source>
        <translation>필터를 바꾸거나 다른 실행을 비교하세요.</translation>
    </message>
    <message>
        <source>%1 ran</source>
        <translation>완료 %1</translation>
    </message>
    <message>
        <source>%1 failed</source>
        <translation>실패 %1</translation>
    </message>
    <message>
        <source>%1 not ended</source>
        <translation>끝나지 않음 %1</translation>
    </message>
    <message>
        <source>by %1</source>
        <translation>%1별</translation>
    </message>
    <message numerus="yes">
        <source>%n without the figure</source>
        <translation>
            <numerusform>수치 없음 %n개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>hollow: %n more value(s)</source>
        <translation>
            <numerusform>빈 원: 값 %n개 더</numerusform>
        </translation>
    </message>
    <message>
        <source>The first %1 of %2 values are shown.</source>
        <translation>값 %2개 중 처음 %1개만 표시합니다.</translation>
    </message>
    <message>
        <source>Best %1 by layout</source>
        <translation>병렬 구성별 최고 %1</translation>
    </message>
    <message>
        <source>best of each cell; × failed</source>
        <translation>칸마다 최고값, × 실패</translation>
    </message>
    <message>
        <source>%1 of %2 selected</source>
        <translation>%2개 중 %1개 선택</translation>
    </message>
    <message>
        <source>No runs are repeated, so it is not known which differences are noise.</source>
        <translation>반복한 실행이 없어 어떤 차이가 잡음인지 알 수 없습니다.</translation>
    </message>
    <message>
        <source>Only %1 configurations were searched for repeats.</source>
        <translation>구성 %1개에서 반복 실행을 찾았습니다.</translation>
    </message>
    <message>
        <source>Convention of every MFU</source>
        <translation>모든 MFU의 계산 규칙</translation>
    </message>
    <message>
        <source>MFU as recorded</source>
        <translation>기록된 MFU</translation>
    </message>
    <message>
        <source>MFU (%1)</source>
        <translation>MFU(%1)</translation>
    </message>
    <message>
        <source>The MFU of every run, counted by one convention. Speeds and peaks stay as they are.</source>
        <translation>모든 실행의 MFU를 한 가지 규칙으로 계산합니다. 속도와 최대 성능은 그대로입니다.</translation>
    </message>
    <message>
        <source>Open in Runs</source>
        <translation>실행 목록에서 열기</translation>
    </message>
    <message>
        <source>%1 skipped</source>
        <translation>건너뜀 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n without an MFU of this convention</source>
        <translation>
            <numerusform>이 규칙의 MFU가 없는 실행 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading the runs…</source>
        <translation>실행을 읽는 중…</translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s)</source>
        <translation>
            <numerusform>실행 %Ln개</numerusform>
        </translation>
    </message>
    <message>
        <source>No runs yet.</source>
        <translation>아직 실행이 없습니다.</translation>
    </message>
    <message>
        <source>Charts appear here as soon as runs are started or imported.</source>
        <translation>실행을 시작하거나 가져오면 차트가 여기에 나타납니다.</translation>
    </message>
</context>
<context>
    <name>slipway::gui::FigureCurve</name>
    <message>
        <source>No curve for these values.</source>
        <translation>이 값으로는 곡선을 그릴 수 없습니다.</translation>
    </message>
    <message>
        <source>%1 over %2: %3 at %4.</source>
        <translation>%2에 따른 %1: %4일 때 %3.</translation>
    </message>
    <message>
        <source>%1 (log scale)</source>
        <translation>%1(로그 눈금)</translation>
    </message>
    <message>
        <source>open plan</source>
        <translation>열린 계획</translation>
    </message>
</context>
<context>
    <name>slipway::gui::FilterChips</name>
    <message>
        <source>Add filter…</source>
        <translation>필터 추가…</translation>
    </message>
    <message>
        <source>Choose a field and its values.</source>
        <translation>필드와 값을 고릅니다.</translation>
    </message>
    <message>
        <source>Change the filter %1</source>
        <translation>필터 %1 변경</translation>
    </message>
    <message>
        <source>Remove the filter %1</source>
        <translation>필터 %1 제거</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>외 %n개</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::FilterDialog</name>
    <message>
        <source>Change filter</source>
        <translation>필터 변경</translation>
    </message>
    <message>
        <source>Add filter</source>
        <translation>필터 추가</translation>
    </message>
    <message>
        <source>Find a field</source>
        <translation>필드 찾기</translation>
    </message>
    <message>
        <source>Fields</source>
        <translation>필드</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>비교 방법</translation>
    </message>
    <message>
        <source>is one of</source>
        <translation>다음 중 하나</translation>
    </message>
    <message>
        <source>is not</source>
        <translation>다음이 아님</translation>
    </message>
    <message>
        <source>below</source>
        <translation>미만</translation>
    </message>
    <message>
        <source>at most</source>
        <translation>이하</translation>
    </message>
    <message>
        <source>above</source>
        <translation>초과</translation>
    </message>
    <message>
        <source>at least</source>
        <translation>이상</translation>
    </message>
    <message>
        <source>contains</source>
        <translation>포함</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>값</translation>
    </message>
    <message>
        <source>or type a value</source>
        <translation>또는 값을 입력</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>값</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>변경</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>추가</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>%1   (%2)</source>
        <translation>%1   (%2)</translation>
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
    <name>slipway::gui::GroupsView</name>
    <message>
        <source>Groups of runs</source>
        <translation>실행 그룹</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>실행 수</translation>
    </message>
    <message>
        <source>Ran</source>
        <translation>완료</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>실패</translation>
    </message>
    <message>
        <source>%1, mean</source>
        <translation>%1 평균</translation>
    </message>
    <message numerus="yes">
        <source>%1 to %2, mean %3, of %Ln run(s)</source>
        <translation>
            <numerusform>%1~%2, 평균 %3, 실행 %Ln개</numerusform>
        </translation>
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
    <name>slipway::gui::HeatMap</name>
    <message>
        <source>Heat map</source>
        <translation>히트맵</translation>
    </message>
    <message>
        <source>lower is better</source>
        <translation>낮을수록 좋음</translation>
    </message>
    <message>
        <source>higher is better</source>
        <translation>높을수록 좋음</translation>
    </message>
    <message>
        <source>best</source>
        <translation>최고</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>세부 정보</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>그룹</translation>
    </message>
</context>
<context>
    <name>slipway::gui::ImportDialog</name>
    <message>
        <source>Import runs</source>
        <translation>실행 가져오기</translation>
    </message>
    <message>
        <source>Detect automatically</source>
        <translation>자동으로 알아내기</translation>
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
        <source>Config of these runs, in any supported format: it provides the shape and the tokens per step where a log does not.</source>
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
        <source>Skipped</source>
        <translation>제외</translation>
    </message>
    <message>
        <source>In the file</source>
        <translation>파일의 이름</translation>
    </message>
    <message>
        <source>Imported as</source>
        <translation>여기서의 이름</translation>
    </message>
    <message>
        <source>not a metric</source>
        <translation>지표 아님</translation>
    </message>
    <message>
        <source>%1, unchanged</source>
        <translation>%1, 그대로</translation>
    </message>
    <message>
        <source>Factor</source>
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
        <source>Choose the column of the steps, and a metric for each other column.</source>
        <translation>스텝 열을 고르고, 나머지 열에는 지표를 고르세요.</translation>
    </message>
    <message>
        <source>%1 is imported as</source>
        <translation>%1을(를) 가져올 지표</translation>
    </message>
    <message>
        <source>Do not import</source>
        <translation>가져오지 않음</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>스텝</translation>
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
    <name>slipway::gui::KeysForm</name>
    <message>
        <source>Usual key</source>
        <translation>기본 단축키</translation>
    </message>
    <message>
        <source>%1 is the key of &quot;%2&quot; already; choose another key.</source>
        <translation>%1: 이미 “%2”의 단축키입니다. 다른 키를 고르세요.</translation>
    </message>
</context>
<context>
    <name>slipway::gui::LaunchSheet</name>
    <message>
        <source>Launch</source>
        <translation>시작</translation>
    </message>
    <message>
        <source>Start on this computer</source>
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
        <source>Not ready for these reasons.</source>
        <translation>준비되지 않음: 다음 이유 때문입니다.</translation>
    </message>
    <message>
        <source>Checking this computer… The first check measures its peak, which takes up to a minute.</source>
        <translation>이 컴퓨터를 확인하는 중… 처음에는 최대 성능을 재느라 1분까지 걸립니다.</translation>
    </message>
    <message>
        <source>New corpus…</source>
        <translation>새 말뭉치…</translation>
    </message>
    <message>
        <source>Start on nodes</source>
        <translation>노드에서 시작</translation>
    </message>
    <message>
        <source>peak unknown</source>
        <translation>최대 성능 모름</translation>
    </message>
    <message>
        <source>Checking config, programs and data…</source>
        <translation>설정, 프로그램, 데이터를 확인하는 중…</translation>
    </message>
    <message>
        <source>forecast for these nodes, measured here</source>
        <translation>여기서 측정한 이 노드들 기준 예측</translation>
    </message>
    <message>
        <source>forecast for the plan&apos;s hardware</source>
        <translation>계획의 하드웨어 기준 예측</translation>
    </message>
    <message>
        <source>Config and data are ready here; agent, trainer and disk on every node.</source>
        <translation>이 컴퓨터의 설정과 데이터, 모든 노드의 에이전트, 트레이너, 디스크가 준비되었습니다.</translation>
    </message>
    <message>
        <source>Checking the nodes…</source>
        <translation>노드를 확인하는 중…</translation>
    </message>
</context>
<context>
    <name>slipway::gui::LawsView</name>
    <message>
        <source>Question</source>
        <translation>질문</translation>
    </message>
    <message>
        <source>Compute budget</source>
        <translation>연산 예산</translation>
    </message>
    <message>
        <source>Different tokens</source>
        <translation>서로 다른 토큰</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>Tokens to serve</source>
        <translation>서비스할 토큰</translation>
    </message>
    <message>
        <source>Law for the plan</source>
        <translation>계획에 쓸 법칙</translation>
    </message>
    <message>
        <source>Model to plan</source>
        <translation>계획할 모델</translation>
    </message>
    <message>
        <source>Optimum of the law</source>
        <translation>법칙의 최적 크기</translation>
    </message>
    <message>
        <source>Serving optimum</source>
        <translation>서비스 최적 크기</translation>
    </message>
    <message>
        <source>Shape of the model</source>
        <translation>모델의 형태</translation>
    </message>
    <message>
        <source>Iso-FLOP valley</source>
        <translation>등연산량 골짜기</translation>
    </message>
    <message>
        <source>loss in nats per token; all models take the whole budget</source>
        <translation>손실(토큰당 nat), 모든 모델이 예산 전체를 씁니다</translation>
    </message>
    <message>
        <source>Training and serving</source>
        <translation>학습과 서비스</translation>
    </message>
    <message>
        <source>Laws side by side</source>
        <translation>법칙 비교</translation>
    </message>
    <message>
        <source>losses of different laws are no ranking; n/a: the law gives no loss</source>
        <translation>서로 다른 법칙의 손실은 순위가 아닙니다. n/a: 손실 식이 없는 법칙</translation>
    </message>
    <message>
        <source>Source: %1</source>
        <translation>출처: %1</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>매개변수</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>6ND / C: %1</source>
        <translation>6ND / C: %1</translation>
    </message>
    <message>
        <source>Tokens per parameter</source>
        <translation>매개변수당 토큰</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>손실</translation>
    </message>
    <message>
        <source>nats per token</source>
        <translation>토큰당 nat</translation>
    </message>
    <message>
        <source>Rule of 20 tokens</source>
        <translation>토큰 20배 규칙</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>토큰 %1개</translation>
    </message>
    <message>
        <source>saves %1 of the compute</source>
        <translation>연산량 %1 절약</translation>
    </message>
    <message>
        <source>Epochs: %1; loss %2, with fresh data %3 (Muennighoff)</source>
        <translation>에폭 %1, 손실 %2. 새 데이터만 쓰면 %3(Muennighoff)</translation>
    </message>
    <message>
        <source>same loss, serving: %1</source>
        <translation>같은 손실, 서비스: %1</translation>
    </message>
    <message>
        <source>Loss (nats per token)</source>
        <translation>손실(토큰당 nat)</translation>
    </message>
    <message>
        <source>No law gives a loss for this budget.</source>
        <translation>이 예산에서 손실을 주는 법칙이 없습니다.</translation>
    </message>
    <message>
        <source>A model of half the size (%1) breaks even after %2 served tokens.</source>
        <translation>절반 크기의 모델(%1)은 토큰 %2개를 서비스하면 손익 분기에 이릅니다.</translation>
    </message>
    <message>
        <source>at the loss of the optimum; its compute is 1</source>
        <translation>최적점과 같은 손실, 최적점의 연산량이 1</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>학습</translation>
    </message>
    <message>
        <source>Serving</source>
        <translation>서비스</translation>
    </message>
    <message>
        <source>Opens a new plan. Nothing is started.</source>
        <translation>새 계획을 엽니다. 아무것도 시작하지 않습니다.</translation>
    </message>
    <message>
        <source>How large a model for %1 FLOP?</source>
        <translation>%1 FLOP에는 어떤 크기의 모델이 맞을까?</translation>
    </message>
    <message>
        <source>dense transformers, C = 6ND</source>
        <translation>밀집 트랜스포머, C = 6ND</translation>
    </message>
    <message>
        <source>Plan a model of %1 parameters</source>
        <translation>매개변수 %1개 모델 계획</translation>
    </message>
    <message>
        <source>Plan this model</source>
        <translation>이 모델 계획하기</translation>
    </message>
</context>
<context>
    <name>slipway::gui::LintView</name>
    <message>
        <source>facts of a script</source>
        <translation>스크립트의 사실 목록</translation>
    </message>
    <message>
        <source>Script</source>
        <translation>스크립트</translation>
    </message>
    <message>
        <source>Drop a file here, or paste a Megatron launch line, a DeepSpeed JSON, a torchtitan TOML, a config or the facts of a script.</source>
        <translation>파일을 여기에 놓거나 Megatron 실행 명령, DeepSpeed JSON, torchtitan TOML, 설정, 스크립트의 사실 목록을 붙여 넣으세요.</translation>
    </message>
    <message>
        <source>Open file…</source>
        <translation>파일 열기…</translation>
    </message>
    <message>
        <source>On the open plan&apos;s hardware</source>
        <translation>열린 계획의 하드웨어에서</translation>
    </message>
    <message>
        <source>Judges memory and peak too; as slipway lint --cluster.</source>
        <translation>메모리와 최고 성능도 판정합니다. slipway lint --cluster와 같습니다.</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>지적 사항</translation>
    </message>
    <message>
        <source>Not taken over</source>
        <translation>옮기지 않은 것</translation>
    </message>
    <message>
        <source>settings of the file that a plan cannot express</source>
        <translation>파일에는 있으나 계획에는 담을 수 없는 것</translation>
    </message>
    <message>
        <source>Open a script</source>
        <translation>스크립트 열기</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>모든 파일 (*)</translation>
    </message>
    <message>
        <source>%1 is larger than 1 MiB; a script is not.</source>
        <translation>%1이(가) 1 MiB보다 큽니다. 스크립트로 보기 어렵습니다.</translation>
    </message>
    <message>
        <source>The text cannot be read: %1</source>
        <translation>글을 읽을 수 없습니다: %1</translation>
    </message>
    <message>
        <source>Seen in: %1</source>
        <translation>발견된 곳: %1</translation>
    </message>
    <message>
        <source>Line %1</source>
        <translation>%1행</translation>
    </message>
    <message>
        <source>Nothing to check yet.</source>
        <translation>아직 판정할 것이 없습니다.</translation>
    </message>
    <message>
        <source>No mistake found.</source>
        <translation>잘못을 찾지 못했습니다.</translation>
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
        <source>Everything in the file has its field.</source>
        <translation>파일의 모든 항목이 필드로 옮겨졌습니다.</translation>
    </message>
    <message>
        <source>Read as: %1</source>
        <translation>읽은 형식: %1</translation>
    </message>
    <message>
        <source>drop, open or paste it</source>
        <translation>놓거나 열거나 붙여 넣으세요</translation>
    </message>
    <message>
        <source>Open %1 as a plan</source>
        <translation>%1을(를) 계획으로 열기</translation>
    </message>
    <message>
        <source>the text</source>
        <translation>글</translation>
    </message>
    <message>
        <source>What is wrong with this script?</source>
        <translation>이 스크립트의 무엇이 잘못됐을까?</translation>
    </message>
    <message>
        <source>Open as plan</source>
        <translation>계획으로 열기</translation>
    </message>
    <message>
        <source>a sweep</source>
        <translation>스윕</translation>
    </message>
</context>
<context>
    <name>slipway::gui::LogPane</name>
    <message>
        <source>Log</source>
        <translation>로그</translation>
    </message>
    <message>
        <source>Stop searching</source>
        <translation>검색 중지</translation>
    </message>
    <message>
        <source>Search the log</source>
        <translation>로그 검색</translation>
    </message>
    <message>
        <source>Searches the whole logs of the ranks, not only the lines below.</source>
        <translation>아래에 보이는 줄만이 아니라 랭크의 로그 전체를 검색합니다.</translation>
    </message>
    <message>
        <source>Ranks shown in the log</source>
        <translation>로그에 표시할 랭크</translation>
    </message>
    <message>
        <source>Minimum level of the log</source>
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
        <source>Ranks: all</source>
        <translation>랭크: 전체</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>랭크 %1</translation>
    </message>
    <message numerus="yes">
        <source>%Ln match(es)</source>
        <translation>
            <numerusform>%Ln건 일치</numerusform>
        </translation>
    </message>
    <message>
        <source>stopped: %1 in the first %2</source>
        <translation>중지됨: 처음 %2에서 %1</translation>
    </message>
    <message>
        <source>%1 in %2; the first and the latest %3 are shown</source>
        <translation>%2에서 %1, 처음과 최근 %3건 표시</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%2에서 %1</translation>
    </message>
    <message>
        <source>searching the whole logs: %1</source>
        <translation>로그 전체 검색 중: %1</translation>
    </message>
    <message>
        <source>waiting for the first line</source>
        <translation>첫 줄을 기다리는 중</translation>
    </message>
    <message>
        <source>no log was recorded</source>
        <translation>기록된 로그 없음</translation>
    </message>
    <message numerus="yes">
        <source>%n rank(s)</source>
        <translation>
            <numerusform>랭크 %n개</numerusform>
        </translation>
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
        <source>%n run(s) continue without the window and are followed again when it opens.</source>
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
    <message>
        <source>Sweeps</source>
        <translation>스윕</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>노드</translation>
    </message>
    <message>
        <source>Playbook</source>
        <translation>플레이북</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>도구</translation>
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
    <message>
        <source>Measured peak</source>
        <translation>측정한 최대 메모리</translation>
    </message>
</context>
<context>
    <name>slipway::gui::MetricChart</name>
    <message numerus="yes">
        <source>%n point(s) ≤ 0 skipped</source>
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
    <message numerus="yes">
        <source>%n point(s) clipped</source>
        <translation>
            <numerusform>잘린 점 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>ended at %1</source>
        <translation>%1에서 끝남</translation>
    </message>
</context>
<context>
    <name>slipway::gui::MetricChooser</name>
    <message>
        <source>Find a metric</source>
        <translation>지표 찾기</translation>
    </message>
    <message>
        <source>Metrics of the board</source>
        <translation>보드의 지표</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>학습</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>속도</translation>
    </message>
    <message>
        <source>Waiting and traffic</source>
        <translation>대기와 통신</translation>
    </message>
    <message>
        <source>Memory and hardware</source>
        <translation>메모리와 하드웨어</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>기타</translation>
    </message>
    <message>
        <source>none</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>all</source>
        <translation>모두</translation>
    </message>
</context>
<context>
    <name>slipway::gui::MfuView</name>
    <message>
        <source>Where did the MFU go?</source>
        <translation>MFU는 어디로 갔나?</translation>
    </message>
    <message>
        <source>The step cannot be accounted for.</source>
        <translation>스텝 시간을 나눌 수 없습니다.</translation>
    </message>
    <message>
        <source>Reading the run…</source>
        <translation>실행을 읽는 중…</translation>
    </message>
    <message>
        <source>There is nothing to account for.</source>
        <translation>나눌 시간이 없습니다.</translation>
    </message>
    <message>
        <source>The run has no steps after its warm-up, and no forecast.</source>
        <translation>실행에 워밍업 뒤의 스텝도 예측도 없습니다.</translation>
    </message>
    <message>
        <source>There is nothing to account for yet.</source>
        <translation>아직 나눌 시간이 없습니다.</translation>
    </message>
    <message>
        <source>The account begins with the first steps after the warm-up.</source>
        <translation>워밍업 뒤의 첫 스텝부터 계산합니다.</translation>
    </message>
    <message>
        <source>forecast %1</source>
        <translation>예측 %1</translation>
    </message>
    <message>
        <source>MFU</source>
        <translation>MFU</translation>
    </message>
    <message>
        <source>MFU (%1)</source>
        <translation>MFU(%1)</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>스텝 시간</translation>
    </message>
    <message>
        <source>Largest loss</source>
        <translation>가장 큰 손실</translation>
    </message>
    <message>
        <source>Unexplained</source>
        <translation>설명되지 않은 시간</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%2 중 %1</translation>
    </message>
    <message>
        <source>Where did the time go?</source>
        <translation>시간은 어디로 갔나?</translation>
    </message>
    <message numerus="yes">
        <source>% of the device peak; median of %n step(s), %1 to %2, mean over ranks</source>
        <translation>
            <numerusform>장치 최고 성능의 %, 스텝 %n개(%1~%2)의 중앙값, 랭크 평균</numerusform>
        </translation>
    </message>
    <message>
        <source>forecast only</source>
        <translation>예측만 있음</translation>
    </message>
    <message>
        <source>The parts of the step add up to it. Measured (solid): mean over ranks; forecast (dashed): the critical rank.</source>
        <translation>항목의 합은 스텝 시간과 같습니다. 측정(실선): 랭크 평균, 예측(점선): 임계 랭크.</translation>
    </message>
    <message>
        <source>Forecast basis: %1.</source>
        <translation>예측 근거: %1.</translation>
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
    <message>
        <source>step %1</source>
        <translation>스텝 %1</translation>
    </message>
    <message>
        <source>no contact, continues there</source>
        <translation>연결 안 됨, 실행은 계속됨</translation>
    </message>
    <message>
        <source>no contact, queued</source>
        <translation>연결 안 됨, 대기 중</translation>
    </message>
</context>
<context>
    <name>slipway::gui::NodeDialog</name>
    <message>
        <source>Progress</source>
        <translation>진행</translation>
    </message>
    <message>
        <source>Add a node</source>
        <translation>노드 추가</translation>
    </message>
    <message>
        <source>Set up</source>
        <translation>설치</translation>
    </message>
    <message>
        <source>Copies this computer&apos;s trainer and libtorch where they are missing.</source>
        <translation>이 컴퓨터의 트레이너와 libtorch를 없는 곳에 복사합니다.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Add node</source>
        <translation>노드 추가</translation>
    </message>
    <message>
        <source>a Host of ~/.ssh/config, or USER@NAME</source>
        <translation>~/.ssh/config의 Host 또는 USER@NAME</translation>
    </message>
    <message>
        <source>ssh&apos;s own</source>
        <translation>ssh 기본값</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>호스트</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>포트</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>Folder on the node</source>
        <translation>노드의 폴더</translation>
    </message>
    <message>
        <source>New host key. Compare it with the one that the node itself prints, or ask its administrator:</source>
        <translation>새 호스트 키입니다. 노드에서 직접 출력한 지문과 비교하거나 관리자에게 확인하세요:</translation>
    </message>
    <message>
        <source>Fingerprint</source>
        <translation>지문</translation>
    </message>
    <message>
        <source>On the node: %1</source>
        <translation>노드에서: %1</translation>
    </message>
    <message>
        <source>The fingerprint agrees with the node&apos;s own</source>
        <translation>노드의 지문과 같습니다</translation>
    </message>
    <message>
        <source>Known so far</source>
        <translation>지금까지 확인한 내용</translation>
    </message>
    <message>
        <source>Written on the node</source>
        <translation>노드에 쓴 파일</translation>
    </message>
    <message>
        <source>Command of this check</source>
        <translation>이 확인의 명령</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>복사</translation>
    </message>
    <message>
        <source>What Slipway does not do</source>
        <translation>Slipway가 하지 않는 일</translation>
    </message>
    <message>
        <source>It uses no root rights and installs no service. It keeps no password and no private key: your ssh does the login, and only the keychain of this computer stores a password, if you choose so. It opens no port to the outside. It accepts no host key that you have not confirmed, and a changed key stops everything on that node.</source>
        <translation>루트 권한을 쓰지 않고 서비스를 설치하지 않습니다. 암호와 개인 키를 보관하지 않습니다. 로그인은 사용자의 ssh가 하며, 원할 때만 이 컴퓨터의 키체인에 암호를 저장합니다. 외부로 포트를 열지 않습니다. 직접 확인하지 않은 호스트 키는 받아들이지 않고, 키가 바뀌면 그 노드의 모든 작업을 멈춥니다.</translation>
    </message>
    <message>
        <source>Name the host. Nothing is sent before Check.</source>
        <translation>호스트를 입력하세요. 확인을 누르기 전에는 아무것도 보내지 않습니다.</translation>
    </message>
    <message>
        <source>Setting up. Cancel keeps the copied files.</source>
        <translation>설치 중입니다. 취소해도 복사한 파일은 남습니다.</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>확인 중…</translation>
    </message>
    <message>
        <source>Confirm the fingerprint to continue.</source>
        <translation>계속하려면 지문을 확인하세요.</translation>
    </message>
    <message>
        <source>The node cannot be added while its host key differs from the accepted one.</source>
        <translation>호스트 키가 받아들인 키와 다르면 노드를 추가할 수 없습니다.</translation>
    </message>
    <message>
        <source>All checks passed.</source>
        <translation>모든 확인을 통과했습니다.</translation>
    </message>
    <message>
        <source>Warnings do not block; the node can be set up later.</source>
        <translation>경고가 있어도 노드를 추가할 수 있습니다. 설치는 나중에 해도 됩니다.</translation>
    </message>
    <message>
        <source>The node can be added once steps 1 to 4 pass.</source>
        <translation>1–4단계를 통과하면 노드를 추가할 수 있습니다.</translation>
    </message>
    <message>
        <source>Nothing is sent before Check.</source>
        <translation>확인을 누르기 전에는 아무것도 보내지 않습니다.</translation>
    </message>
    <message>
        <source>Computer</source>
        <translation>컴퓨터</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>프로세서</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>메모리</translation>
    </message>
    <message>
        <source>Free disk</source>
        <translation>디스크 여유</translation>
    </message>
    <message>
        <source>Trainer</source>
        <translation>트레이너</translation>
    </message>
    <message>
        <source>Host key</source>
        <translation>호스트 키</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>에이전트</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>실행</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>계속</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>다시 확인</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>확인</translation>
    </message>
    <message>
        <source>its host key in known_hosts</source>
        <translation>known_hosts의 호스트 키</translation>
    </message>
    <message>
        <source>its password in the keychain</source>
        <translation>키체인의 암호</translation>
    </message>
    <message>
        <source>the agent in ~/.cache/slipway there</source>
        <translation>노드의 ~/.cache/slipway에 있는 에이전트</translation>
    </message>
    <message>
        <source>files copied to its folder</source>
        <translation>노드의 폴더에 복사한 파일</translation>
    </message>
    <message>
        <source>No node was added, and nothing was kept.</source>
        <translation>노드를 추가하지 않았고 남긴 것도 없습니다.</translation>
    </message>
    <message>
        <source>No node was added. Kept: %1.</source>
        <translation>노드를 추가하지 않았습니다. 남은 것: %1.</translation>
    </message>
</context>
<context>
    <name>slipway::gui::NodeJobs</name>
    <message numerus="yes">
        <source>%n CPU(s)</source>
        <translation>
            <numerusform>CPU %n개</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::NodeView</name>
    <message>
        <source>%1 TFLOP/s</source>
        <translation>%1 TFLOP/s</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>진행률</translation>
    </message>
    <message>
        <source>Accept the key…</source>
        <translation>키 받아들이기…</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>확인</translation>
    </message>
    <message>
        <source>Set up</source>
        <translation>설치</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>제거</translation>
    </message>
    <message>
        <source>Runs here</source>
        <translation>여기서 도는 실행</translation>
    </message>
    <message>
        <source>Accept the host key</source>
        <translation>호스트 키 받아들이기</translation>
    </message>
    <message>
        <source>%1

Compare it with the fingerprint that the node itself prints (ssh-keygen -lf on its host key), or ask its administrator. ssh keeps an accepted key in known_hosts.</source>
        <translation>%1

노드에서 직접 출력한 지문(호스트 키에 ssh-keygen -lf)과 비교하거나 관리자에게 확인하세요. 받아들인 키는 ssh가 known_hosts에 보관합니다.</translation>
    </message>
    <message>
        <source>The fingerprint agrees</source>
        <translation>지문이 같습니다</translation>
    </message>
    <message>
        <source>Copies this computer&apos;s trainer and libtorch where they are missing. Doing it again does nothing that is done.</source>
        <translation>이 컴퓨터의 트레이너와 libtorch를 없는 곳에 복사합니다. 다시 해도 이미 된 일은 건너뜁니다.</translation>
    </message>
    <message>
        <source>The host key comes first.</source>
        <translation>호스트 키를 먼저 확인하세요.</translation>
    </message>
    <message>
        <source>Removes the node from this list; its files stay on it.</source>
        <translation>목록에서 노드를 제거합니다. 노드에 있는 것은 그대로 남습니다.</translation>
    </message>
    <message>
        <source>A run is on this node; its link would be lost.</source>
        <translation>이 노드에서 실행이 돌고 있어, 제거하면 연결을 잃습니다.</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>주소</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>프로세서</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>메모리</translation>
    </message>
    <message>
        <source>Free memory</source>
        <translation>메모리 여유</translation>
    </message>
    <message>
        <source>Free disk</source>
        <translation>디스크 여유</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>폴더</translation>
    </message>
    <message>
        <source>Trainer</source>
        <translation>트레이너</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>에이전트</translation>
    </message>
    <message>
        <source>Maximum ranks</source>
        <translation>최대 랭크 수</translation>
    </message>
    <message>
        <source>even shares</source>
        <translation>고르게 나눔</translation>
    </message>
    <message>
        <source>Last sign</source>
        <translation>마지막 신호</translation>
    </message>
    <message>
        <source>Peak, fp32, measured</source>
        <translation>최대 성능, fp32, 측정</translation>
    </message>
    <message>
        <source>Peak, bf16, measured</source>
        <translation>최대 성능, bf16, 측정</translation>
    </message>
    <message>
        <source>Link of ranks, measured</source>
        <translation>랭크 사이 링크, 측정</translation>
    </message>
    <message>
        <source>%1 GB/s</source>
        <translation>%1 GB/s</translation>
    </message>
    <message>
        <source>Peak, measured</source>
        <translation>최대 성능, 측정</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>이 컴퓨터</translation>
    </message>
    <message>
        <source>%1, at %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1: step %2 of %3</source>
        <translation>%1: 스텝 %2/%3</translation>
    </message>
    <message>
        <source>Open run</source>
        <translation>실행 열기</translation>
    </message>
    <message>
        <source>No run is on this node now.</source>
        <translation>지금 이 노드에서 도는 실행이 없습니다.</translation>
    </message>
</context>
<context>
    <name>slipway::gui::NodesController</name>
    <message>
        <source>Set-up of %1 cancelled. The copied files stay there, and Set up continues with the rest.</source>
        <translation>%1 설치를 취소했습니다. 복사한 파일은 남으며, 설치를 다시 누르면 나머지부터 계속합니다.</translation>
    </message>
    <message>
        <source>Check of %1 cancelled.</source>
        <translation>%1 확인을 취소했습니다.</translation>
    </message>
    <message>
        <source>Nothing to do on %1: its trainer is of this version.</source>
        <translation>%1에서 할 일이 없습니다. 트레이너가 이미 이 버전입니다.</translation>
    </message>
    <message>
        <source>%1 is set up.</source>
        <translation>%1 설치가 끝났습니다.</translation>
    </message>
    <message>
        <source>Added %1.</source>
        <translation>노드 %1을(를) 추가했습니다.</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 제거</translation>
    </message>
    <message>
        <source>Removed %1; files on it are kept. Undo restores the node.</source>
        <translation>노드 %1을(를) 제거했습니다. 노드에 있는 것은 남습니다. 실행 취소로 되돌릴 수 있습니다.</translation>
    </message>
</context>
<context>
    <name>slipway::gui::NodesPage</name>
    <message>
        <source>This computer</source>
        <translation>이 컴퓨터</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>State</source>
        <translation>상태</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>주소</translation>
    </message>
    <message>
        <source>loopback</source>
        <translation>루프백</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>메모리</translation>
    </message>
    <message>
        <source>Free disk</source>
        <translation>디스크 여유</translation>
    </message>
    <message>
        <source>Trainer</source>
        <translation>트레이너</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>실행</translation>
    </message>
    <message>
        <source>Last sign</source>
        <translation>마지막 신호</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>노드</translation>
    </message>
    <message>
        <source>Check all</source>
        <translation>모두 확인</translation>
    </message>
    <message>
        <source>Add a node…</source>
        <translation>노드 추가…</translation>
    </message>
    <message>
        <source>All nodes</source>
        <translation>모든 노드</translation>
    </message>
    <message>
        <source>Where can the open plan run?</source>
        <translation>열린 계획을 어디에서 실행할 수 있나요?</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n reachable</source>
        <translation>
            <numerusform>%n개 중 %1개 연결됨</numerusform>
        </translation>
    </message>
    <message>
        <source>reading…</source>
        <translation>읽는 중…</translation>
    </message>
    <message>
        <source>only this computer; Add a node… reaches another one over ssh</source>
        <translation>이 컴퓨터뿐입니다. 노드 추가…로 ssh를 거쳐 다른 컴퓨터를 쓸 수 있습니다</translation>
    </message>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>노드 %n개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %n GPU(s)</source>
        <translation>
            <numerusform>%1: GPU %n개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %n rank(s) on CPUs</source>
        <translation>
            <numerusform>%1: CPU 랭크 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Set up</source>
        <translation>설치</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>확인</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
    <message>
        <source>%1: %2 of the %3 GPUs that the plan needs.</source>
        <translation>%1: 계획에 필요한 GPU %3개 중 %2개가 있습니다.</translation>
    </message>
    <message>
        <source>%1: takes %2 of the %3 ranks.</source>
        <translation>%1: 랭크 %3개 중 %2개까지 둘 수 있습니다.</translation>
    </message>
    <message>
        <source>%1: all ranks fit.</source>
        <translation>%1: 모든 랭크를 둘 수 있습니다.</translation>
    </message>
    <message>
        <source>%1: all ranks fit, in addition to the runs there.</source>
        <translation>%1: 지금 도는 실행과 함께 모든 랭크를 둘 수 있습니다.</translation>
    </message>
    <message>
        <source>Launch…</source>
        <translation>실행 시작…</translation>
    </message>
    <message>
        <source>Copy address</source>
        <translation>주소 복사</translation>
    </message>
</context>
<context>
    <name>slipway::gui::NumberLine</name>
    <message>
        <source>No figure yet.</source>
        <translation>아직 값이 없습니다.</translation>
    </message>
    <message>
        <source>Mark</source>
        <translation>표시</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>값</translation>
    </message>
    <message>
        <source>± spread</source>
        <translation>± 편차</translation>
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
    <message>
        <source>Not saved</source>
        <translation>저장되지 않음</translation>
    </message>
    <message>
        <source>%1 could not be written; check the folder and the space left.</source>
        <translation>%1: 쓸 수 없습니다. 폴더와 남은 공간을 확인하세요.</translation>
    </message>
    <message>
        <source>Save picture…</source>
        <translation>그림 저장…</translation>
    </message>
    <message>
        <source>Save data…</source>
        <translation>데이터 저장…</translation>
    </message>
    <message>
        <source>Save as CSV</source>
        <translation>CSV로 저장</translation>
    </message>
    <message>
        <source>No data to show.</source>
        <translation>표시할 데이터가 없습니다.</translation>
    </message>
    <message>
        <source>Save as PNG, SVG or PDF</source>
        <translation>PNG, SVG 또는 PDF로 저장</translation>
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
        <source>%1: limited, %2 layouts remain</source>
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
    <message>
        <source>%1 of %2 axes</source>
        <translation>축 %2개 중 %1개</translation>
    </message>
    <message>
        <source>not shown: %1</source>
        <translation>표시 생략: %1</translation>
    </message>
    <message>
        <source>hidden: %1</source>
        <translation>숨김: %1</translation>
    </message>
    <message>
        <source>identical: %1</source>
        <translation>모두 같음: %1</translation>
    </message>
    <message>
        <source>%1: %2 in total</source>
        <translation>%1: 모두 %2</translation>
    </message>
    <message>
        <source>%1: not shown</source>
        <translation>%1: 표시 생략</translation>
    </message>
    <message>
        <source>As space allows</source>
        <translation>자리에 맞게</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>실패</translation>
    </message>
    <message>
        <source>No runs yet.</source>
        <translation>아직 실행이 없습니다.</translation>
    </message>
    <message>
        <source>%1 runs over %2 axes.</source>
        <translation>축 %2개 위의 실행 %1개.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>실행</translation>
    </message>
    <message>
        <source>%1: limited, %2 runs remain</source>
        <translation>%1: 제한됨, 실행 %2개 남음</translation>
    </message>
</context>
<context>
    <name>slipway::gui::ParetoPlot</name>
    <message>
        <source>%1 against %2</source>
        <translation>%1 대 %2</translation>
    </message>
    <message>
        <source>%1, lower is better</source>
        <translation>%1, 작을수록 좋음</translation>
    </message>
    <message>
        <source>%1, higher is better</source>
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
        <source>Pareto-optimal: no other layout improves one without worsening the other</source>
        <translation>파레토 최적: 다른 병렬 구성은 한쪽을 더 좋게 하면 다른 쪽이 나빠집니다</translation>
    </message>
    <message>
        <source>No layouts yet.</source>
        <translation>아직 병렬 구성이 없습니다.</translation>
    </message>
    <message>
        <source>%1 against %2: %3 layouts, %4 Pareto-optimal.</source>
        <translation>%1 대 %2: 병렬 구성 %3개, 그중 파레토 최적 %4개.</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>병렬 구성</translation>
    </message>
    <message>
        <source>Pareto-optimal</source>
        <translation>파레토 최적</translation>
    </message>
    <message>
        <source>n/a</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>예</translation>
    </message>
    <message>
        <source>Pareto-optimal: no other run improves one without worsening the other</source>
        <translation>파레토 최적: 한쪽을 희생하지 않고 다른 쪽을 개선하는 실행이 없음</translation>
    </message>
    <message>
        <source>No runs yet.</source>
        <translation>아직 실행이 없습니다.</translation>
    </message>
    <message>
        <source>%1 against %2: %3 runs, %4 Pareto-optimal.</source>
        <translation>%2에 대한 %1: 실행 %3개, 파레토 최적 %4개.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>실행</translation>
    </message>
</context>
<context>
    <name>slipway::gui::PartBars</name>
    <message>
        <source>%1 and %2 by %3</source>
        <translation>%3별 %1 및 %2</translation>
    </message>
    <message>
        <source>%1 and %2: minimum at %3, %4.</source>
        <translation>%1 및 %2: %3에서 최소, %4.</translation>
    </message>
    <message>
        <source>%1 and %2 by %3.</source>
        <translation>%3별 %1 및 %2.</translation>
    </message>
    <message>
        <source>Sum</source>
        <translation>합계</translation>
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
        <source>The worst rank fits; %1 remain free.</source>
        <translation>가장 많이 쓰는 랭크도 들어가며 %1 남습니다.</translation>
    </message>
    <message>
        <source>Tensor-parallel groups are inside a node.</source>
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
    <message>
        <source>Choose software</source>
        <translation>소프트웨어 선택</translation>
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
        <source>Custom shape</source>
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
        <source>Custom hardware</source>
        <translation>직접 정한 하드웨어</translation>
    </message>
    <message>
        <source>Nodes %1, measured here %2</source>
        <translation>노드 %1, %2에 측정</translation>
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
        <source>time of one step</source>
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
        <source>%1 tokens/s in total</source>
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
        <source>no problems</source>
        <translation>모두 정상</translation>
    </message>
    <message numerus="yes">
        <source>%n layout(s) that fit in memory, fastest first</source>
        <translation>
            <numerusform>메모리에 맞는 병렬 구성 %n개, 빠른 순</numerusform>
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
        <source>%1: step time %2 instead of %3 (%4), memory %5 instead of %6.</source>
        <translation>%1: 스텝 %3 → %2 (%4), 메모리 %6 → %5.</translation>
    </message>
    <message>
        <source>%1: %2 tokens/s instead of %3 (time per token %4), memory %5 instead of %6.</source>
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
        <source>Host memory of the worst rank: checkpoint copy and offloaded states. Click for the formula.</source>
        <translation>가장 많이 쓰는 랭크의 호스트 메모리: 체크포인트 사본과 오프로드한 상태. 누르면 계산식이 나옵니다.</translation>
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
        <source>From the start to the second step, for the worst rank.</source>
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
        <source>Forecast basis: %1</source>
        <translation>예측 근거: %1</translation>
    </message>
    <message>
        <source>Moment</source>
        <translation>시점</translation>
    </message>
    <message>
        <source>%1, stage %2; states allocated before the first step</source>
        <translation>%1, 단계 %2, 상태는 첫 스텝 전에 만들어집니다</translation>
    </message>
    <message>
        <source>%1, stage %2; states allocated during the first step</source>
        <translation>%1, 단계 %2, 상태는 첫 스텝 중에 만들어집니다</translation>
    </message>
    <message>
        <source>Import a model</source>
        <translation>모델 가져오기</translation>
    </message>
    <message>
        <source>hf:ORG/NAME, the model&apos;s page, or the URL of its config.json. Only this document is read.</source>
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
        <source>Collectives</source>
        <translation>집합 통신</translation>
    </message>
    <message>
        <source>Select a row to preview it in all panels; Enter applies it to the form. Right-click a figure for its formula.</source>
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
    <message>
        <source>To another framework…</source>
        <translation>다른 프레임워크로…</translation>
    </message>
    <message>
        <source>On CPUs the forecast is of the bundled trainer.</source>
        <translation>CPU에서는 포함된 트레이너를 예측합니다.</translation>
    </message>
    <message>
        <source>The software that the forecast is of. Textbook is the limit that the hardware sets.</source>
        <translation>예측 대상 소프트웨어입니다. 이론값은 하드웨어가 정하는 한계입니다.</translation>
    </message>
    <message>
        <source>Bundled trainer</source>
        <translation>포함된 트레이너</translation>
    </message>
    <message>
        <source>Default: %1</source>
        <translation>기본값: %1</translation>
    </message>
    <message>
        <source>Software</source>
        <translation>소프트웨어</translation>
    </message>
</context>
<context>
    <name>slipway::gui::PlaybookBenchmark</name>
    <message>
        <source>Model</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>노드</translation>
    </message>
    <message>
        <source>Ran</source>
        <translation>실행됨</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>Fastest layout</source>
        <translation>가장 빠른 구성</translation>
    </message>
    <message>
        <source>none ran</source>
        <translation>실행되는 구성 없음</translation>
    </message>
    <message>
        <source>Tokens/s per GPU</source>
        <translation>GPU당 토큰/s</translation>
    </message>
    <message>
        <source>MFU</source>
        <translation>MFU</translation>
    </message>
    <message>
        <source>Memory, GB</source>
        <translation>메모리(GB)</translation>
    </message>
    <message>
        <source>Best as printed</source>
        <translation>원문의 최적 구성</translation>
    </message>
    <message>
        <source>the same</source>
        <translation>같음</translation>
    </message>
    <message>
        <source>Slower by</source>
        <translation>느린 정도</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>구성</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>실패</translation>
    </message>
    <message>
        <source>MFU as printed</source>
        <translation>원문의 MFU</translation>
    </message>
    <message>
        <source>Fetch the page…</source>
        <translation>페이지 내려받기…</translation>
    </message>
    <message>
        <source>Take a file…</source>
        <translation>파일 사용…</translation>
    </message>
    <message>
        <source>Best layouts</source>
        <translation>최적 구성</translation>
    </message>
    <message>
        <source>Layouts</source>
        <translation>구성</translation>
    </message>
    <message>
        <source>Mistakes of the original</source>
        <translation>원문의 오류</translation>
    </message>
    <message>
        <source>Ranked by tokens/s; MFU by one rule, (6 N + 12 L h s) tokens/s over the peak.</source>
        <translation>토큰/s 순위이며, MFU는 한 가지 기준((6 N + 12 L h s) × 토큰/s ÷ 최대 성능)으로 계산했습니다.</translation>
    </message>
    <message>
        <source>The published list of best layouts. The page with all layouts is not on this computer.</source>
        <translation>공개된 최적 구성 목록입니다. 모든 구성이 담긴 페이지는 이 컴퓨터에 없습니다.</translation>
    </message>
    <message>
        <source>%1 layouts of the fetched page: %2 ran, %3 failed.</source>
        <translation>내려받은 페이지의 구성 %1개: 실행 %2개, 실패 %3개.</translation>
    </message>
    <message>
        <source>All models</source>
        <translation>모든 모델</translation>
    </message>
    <message numerus="yes">
        <source>%1 on %n node(s)</source>
        <translation>
            <numerusform>%1, 노드 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2 layouts ran</source>
        <translation>구성 %2개 중 %1개 실행됨</translation>
    </message>
    <message>
        <source>All layouts come with the page.</source>
        <translation>페이지를 내려받으면 모든 구성이 보입니다.</translation>
    </message>
    <message>
        <source>Fetch it, or take a copy that is on this computer; it is kept in your home.</source>
        <translation>내려받거나 이 컴퓨터에 있는 사본을 사용하세요. 홈에 보관됩니다.</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>출처</translation>
    </message>
    <message>
        <source>The benchmark&apos;s page</source>
        <translation>벤치마크 페이지</translation>
    </message>
    <message>
        <source>Web pages (*.html *.htm);;All files (*)</source>
        <translation>웹 페이지(*.html *.htm);;모든 파일(*)</translation>
    </message>
    <message>
        <source>Layouts by memory and speed</source>
        <translation>메모리와 속도로 본 병렬 구성</translation>
    </message>
</context>
<context>
    <name>slipway::gui::PlaybookChapter</name>
    <message>
        <source>Numbers, traps and sources</source>
        <translation>계산 예, 함정, 출처</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>질문</translation>
    </message>
    <message>
        <source>Your guess</source>
        <translation>나의 추측</translation>
    </message>
    <message>
        <source>Where the answers are</source>
        <translation>답의 위치</translation>
    </message>
    <message>
        <source>answer</source>
        <translation>답</translation>
    </message>
    <message>
        <source>your guess</source>
        <translation>나의 추측</translation>
    </message>
    <message>
        <source>Idea</source>
        <translation>개념</translation>
    </message>
    <message>
        <source>Expected finding</source>
        <translation>예상 결과</translation>
    </message>
    <message>
        <source>It would be contradicted by: %1</source>
        <translation>반박이 되는 경우: %1</translation>
    </message>
    <message>
        <source>Try it and note your findings</source>
        <translation>실험과 결과</translation>
    </message>
    <message>
        <source>Picture of the idea</source>
        <translation>개념 그림</translation>
    </message>
    <message>
        <source>drawn from the open plan %1</source>
        <translation>열린 계획 %1로 그린 그림</translation>
    </message>
    <message>
        <source>Formulas and sources</source>
        <translation>공식과 출처</translation>
    </message>
    <message>
        <source>Your plan</source>
        <translation>나의 계획</translation>
    </message>
    <message>
        <source>After your guess</source>
        <translation>추측한 다음</translation>
    </message>
    <message>
        <source>Numbers, traps and sources are shown once a guess is typed.</source>
        <translation>추측을 입력하면 계산 예, 함정, 출처가 나타납니다.</translation>
    </message>
    <message>
        <source>Traps</source>
        <translation>함정</translation>
    </message>
    <message>
        <source>Sources</source>
        <translation>출처</translation>
    </message>
    <message>
        <source>Worked numbers of the sources</source>
        <translation>출처의 계산 예</translation>
    </message>
    <message>
        <source>%1 of %2 reached</source>
        <translation>%2개 중 %1개 일치</translation>
    </message>
    <message>
        <source>Example</source>
        <translation>예</translation>
    </message>
    <message>
        <source>Recomputed</source>
        <translation>재계산</translation>
    </message>
    <message>
        <source>Right: %1</source>
        <translation>바른 값: %1</translation>
    </message>
    <message>
        <source>Source: %1</source>
        <translation>출처: %1</translation>
    </message>
    <message>
        <source>Exercises</source>
        <translation>연습 문제</translation>
    </message>
    <message>
        <source>guess, then compare with the worked solution</source>
        <translation>추측한 다음 풀이와 비교</translation>
    </message>
</context>
<context>
    <name>slipway::gui::PlaybookClaims</name>
    <message>
        <source>Experiment</source>
        <translation>실험</translation>
    </message>
    <message>
        <source>Claim</source>
        <translation>주장</translation>
    </message>
    <message>
        <source>Expected</source>
        <translation>예상</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>측정</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>이 컴퓨터에서</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>실행</translation>
    </message>
    <message>
        <source>open</source>
        <translation>열기</translation>
    </message>
    <message>
        <source>Map of claims</source>
        <translation>주장 지도</translation>
    </message>
    <message>
        <source>%1 confirmed, %2 contradicted, %3 undecided, %4 untested on this computer. Enter opens the runs of a claim, or its chapter.</source>
        <translation>이 컴퓨터에서 확인됨 %1개, 반박됨 %2개, 판가름 나지 않음 %3개, 검증 전 %4개. Enter를 누르면 주장의 실행이나 그 장이 열립니다.</translation>
    </message>
    <message>
        <source>Take a record…</source>
        <translation>기록 가져오기…</translation>
    </message>
    <message>
        <source>Add a record from another computer. It is listed with its hardware, apart from your own.</source>
        <translation>다른 컴퓨터의 기록을 추가합니다. 내 기록과 따로, 그 하드웨어와 함께 표시합니다.</translation>
    </message>
    <message>
        <source>Record of an experiment</source>
        <translation>실험 기록</translation>
    </message>
    <message>
        <source>Records (*.json);;All files (*)</source>
        <translation>기록(*.json);;모든 파일(*)</translation>
    </message>
    <message>
        <source>Published data</source>
        <translation>공개 데이터</translation>
    </message>
</context>
<context>
    <name>slipway::gui::PlaybookController</name>
    <message>
        <source>Trial %1 of %2</source>
        <translation>시행 %2개 중 %1번째</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>시작하는 중…</translation>
    </message>
    <message>
        <source>Measuring…</source>
        <translation>측정하는 중…</translation>
    </message>
</context>
<context>
    <name>slipway::gui::PlaybookExercise</name>
    <message>
        <source>Edition of the source:</source>
        <translation>원문의 판:</translation>
    </message>
    <message>
        <source>Where the answers are</source>
        <translation>답의 위치</translation>
    </message>
    <message>
        <source>answer</source>
        <translation>답</translation>
    </message>
    <message>
        <source>your guess</source>
        <translation>나의 추측</translation>
    </message>
    <message>
        <source>Answer: %1</source>
        <translation>답: %1</translation>
    </message>
    <message>
        <source>Your guess is off by %1.</source>
        <translation>추측은 %1 차이가 납니다.</translation>
    </message>
</context>
<context>
    <name>slipway::gui::PlaybookExperiment</name>
    <message>
        <source>%1 points, %2 runs, %3, %4 on disk.</source>
        <translation>점 %1개, 실행 %2개, %3, 디스크 %4.</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>약 %1</translation>
    </message>
    <message>
        <source>time unknown</source>
        <translation>시간은 알 수 없음</translation>
    </message>
    <message>
        <source>Left out: %1: %2</source>
        <translation>제외: %1: %2</translation>
    </message>
    <message>
        <source>Your guess: %1</source>
        <translation>나의 추측: %1</translation>
    </message>
    <message>
        <source>the first guess is the one that counts</source>
        <translation>첫 추측만 셉니다</translation>
    </message>
    <message>
        <source>Guess</source>
        <translation>추측</translation>
    </message>
    <message>
        <source>Type a number before anything is shown; the rest of the page follows. It is kept and never overwritten.</source>
        <translation>답을 보기 전에 수를 입력하세요. 그러면 나머지 내용이 나타납니다. 추측은 그대로 남고 덮어쓰지 않습니다.</translation>
    </message>
    <message>
        <source>Axes</source>
        <translation>축</translation>
    </message>
    <message>
        <source>Fixed</source>
        <translation>고정</translation>
    </message>
    <message>
        <source>It waits for: %1.</source>
        <translation>기다리는 것: %1.</translation>
    </message>
    <message>
        <source>Computing the cost of a run…</source>
        <translation>실행에 드는 비용을 계산하는 중…</translation>
    </message>
    <message>
        <source>Run the experiment</source>
        <translation>실험 실행</translation>
    </message>
    <message>
        <source>Run the short form</source>
        <translation>짧게 실행</translation>
    </message>
    <message>
        <source>Short form: %1</source>
        <translation>짧은 형태: %1</translation>
    </message>
    <message>
        <source>%1 is running.</source>
        <translation>%1 실행 중.</translation>
    </message>
    <message>
        <source>Not run yet. Expected: %1</source>
        <translation>아직 실행하지 않았습니다. 예상: %1</translation>
    </message>
    <message>
        <source>published</source>
        <translation>발표값</translation>
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
        <source>answer</source>
        <translation>답</translation>
    </message>
    <message>
        <source>your guess</source>
        <translation>나의 추측</translation>
    </message>
    <message>
        <source>Where the answers are</source>
        <translation>답의 위치</translation>
    </message>
    <message>
        <source>Your guess is right.</source>
        <translation>추측이 맞았습니다.</translation>
    </message>
    <message>
        <source>Your guess is off by %1.</source>
        <translation>추측은 %1 차이가 납니다.</translation>
    </message>
    <message>
        <source>Expected: %1</source>
        <translation>예상: %1</translation>
    </message>
    <message>
        <source>It would be contradicted by: %1</source>
        <translation>반박이 되는 경우: %1</translation>
    </message>
    <message>
        <source>, short form</source>
        <translation>, 짧은 형태</translation>
    </message>
    <message>
        <source>Open runs</source>
        <translation>실행 열기</translation>
    </message>
    <message>
        <source>Claim</source>
        <translation>주장</translation>
    </message>
    <message>
        <source>Expected</source>
        <translation>예상</translation>
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
        <source>Verdict</source>
        <translation>판정</translation>
    </message>
    <message>
        <source>The computer was busy, so times are not conclusive.</source>
        <translation>컴퓨터가 바빴습니다. 시간으로는 아무것도 판정할 수 없습니다.</translation>
    </message>
    <message numerus="yes">
        <source>%n repeat(s) would decide.</source>
        <translation>
            <numerusform>%n번 되풀이하면 판가름 납니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>It needs other hardware: %1.</source>
        <translation>다른 하드웨어가 필요합니다: %1.</translation>
    </message>
    <message>
        <source>Export the job…</source>
        <translation>작업 내보내기…</translation>
    </message>
    <message>
        <source>Export the sweep…</source>
        <translation>스윕 내보내기…</translation>
    </message>
    <message>
        <source>Save %1 for another machine</source>
        <translation>다른 컴퓨터에서 쓸 %1 저장</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1 저장됨</translation>
    </message>
    <message>
        <source>Note on %1</source>
        <translation>%1에 대한 메모</translation>
    </message>
    <message>
        <source>A note of your own</source>
        <translation>메모</translation>
    </message>
    <message>
        <source>Derivation: %1</source>
        <translation>유도: %1</translation>
    </message>
    <message>
        <source>%1 on %2, load %3 at the start%4</source>
        <translation>%1, %2, 시작할 때 부하 %3%4</translation>
    </message>
    <message>
        <source>Save record…</source>
        <translation>기록 저장…</translation>
    </message>
    <message>
        <source>A plain file to commit, or to take on another computer (Map of claims).</source>
        <translation>커밋하거나 다른 컴퓨터에서 가져올 수 있는 일반 파일입니다(주장 지도).</translation>
    </message>
    <message>
        <source>Save the record of %1</source>
        <translation>%1의 기록 저장</translation>
    </message>
    <message numerus="yes">
        <source>Run %n repeat(s)</source>
        <translation>
            <numerusform>%n번 반복 실행</numerusform>
        </translation>
    </message>
    <message>
        <source>Measured by others on %1, %2: %3</source>
        <translation>다른 사람이 %1에서 측정, %2: %3</translation>
    </message>
    <message>
        <source>%1: %2 (expected %3)</source>
        <translation>%1: %2(예상 %3)</translation>
    </message>
    <message>
        <source>Run the full form</source>
        <translation>전체 형태로 실행</translation>
    </message>
    <message>
        <source>Full form: %1</source>
        <translation>전체 형태: %1</translation>
    </message>
    <message>
        <source>`slipway playbook export %1 --write slurm -o FOLDER` writes Slurm arrays, torchrun scripts likewise.</source>
        <translation>`slipway playbook export %1 --write slurm -o FOLDER`로 Slurm 배열 작업을, torchrun이라고 쓰면 그 스크립트를 만듭니다.</translation>
    </message>
    <message>
        <source>The planner&apos;s forecast is off by %1.</source>
        <translation>계획의 예측은 %1 차이가 납니다.</translation>
    </message>
    <message>
        <source>Published data: %1</source>
        <translation>공개 데이터: %1</translation>
    </message>
    <message>
        <source>Replay published data…</source>
        <translation>공개 데이터로 재현…</translation>
    </message>
    <message>
        <source>Shows URL, licence and size first; stores the data in your home.</source>
        <translation>URL, 라이선스, 크기를 먼저 보여 줍니다. 데이터는 홈 폴더에 남습니다.</translation>
    </message>
    <message>
        <source>recorded at this fetch</source>
        <translation>이번에 내려받을 때 기록</translation>
    </message>
    <message>
        <source>%1
Licence: %2
Size: about %3
SHA-256: %4</source>
        <translation>%1
라이선스: %2
크기: 약 %3
SHA-256: %4</translation>
    </message>
    <message>
        <source>Fetch “%1”?</source>
        <translation>“%1”을(를) 내려받을까요?</translation>
    </message>
    <message>
        <source>Fetch</source>
        <translation>내려받기</translation>
    </message>
</context>
<context>
    <name>slipway::gui::PlaybookFigure</name>
    <message>
        <source>Back to the plan</source>
        <translation>계획 값으로</translation>
    </message>
    <message>
        <source>Apply to plan</source>
        <translation>계획에 적용</translation>
    </message>
    <message>
        <source>Applies the sliders to the open plan; Undo reverts it.</source>
        <translation>열린 계획의 필드를 슬라이더 값으로 바꿉니다. 실행 취소로 되돌릴 수 있습니다.</translation>
    </message>
    <message>
        <source>Field of the plan: %1</source>
        <translation>계획의 필드: %1</translation>
    </message>
    <message>
        <source>Begins at the figure of the open plan.</source>
        <translation>열린 계획의 값에서 시작합니다.</translation>
    </message>
    <message>
        <source>Numbers with spaces between them; a semicolon begins the next row.</source>
        <translation>숫자는 빈칸으로 나누고, 세미콜론 뒤는 다음 행입니다.</translation>
    </message>
</context>
<context>
    <name>slipway::gui::PlaybookGuesses</name>
    <message>
        <source>Question</source>
        <translation>질문</translation>
    </message>
    <message>
        <source>Chapter %1</source>
        <translation>%1장</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>제목</translation>
    </message>
    <message>
        <source>Your guess</source>
        <translation>나의 추측</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>답</translation>
    </message>
    <message>
        <source>Off by</source>
        <translation>차이</translation>
    </message>
    <message>
        <source>Within the tolerance</source>
        <translation>허용 오차 안</translation>
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
        <source>Your guesses</source>
        <translation>나의 추측</translation>
    </message>
    <message>
        <source>No guess yet. Each chapter begins with one.</source>
        <translation>아직 추측이 없습니다. 장마다 내용을 보여 주기 전에 추측을 묻습니다.</translation>
    </message>
    <message>
        <source>None of your guesses has an answer yet: run their experiments.</source>
        <translation>아직 답이 나온 추측이 없습니다. 실험을 실행하세요.</translation>
    </message>
    <message>
        <source>%1 of %2 guesses are right; half of them are off by less than %3.</source>
        <translation>추측 %2개 가운데 %1개가 맞았고, 절반은 차이가 %3보다 작습니다.</translation>
    </message>
    <message>
        <source>Furthest off: chapter %1, %2 (%3).</source>
        <translation>가장 빗나간 장: %1장 %2(%3).</translation>
    </message>
    <message>
        <source>Exercise, chapter %1</source>
        <translation>%1장 연습 문제</translation>
    </message>
    <message numerus="yes">
        <source>The planner&apos;s forecasts of %n claim(s): half of them are off by less than %1.</source>
        <translation>
            <numerusform>계획이 주장 %n개에 내놓은 예측 가운데 절반은 차이가 %1보다 작습니다.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>slipway::gui::PlaybookPage</name>
    <message>
        <source>Report…</source>
        <translation>보고서…</translation>
    </message>
    <message>
        <source>Open the plan</source>
        <translation>계획 열기</translation>
    </message>
    <message>
        <source>Chapters</source>
        <translation>장</translation>
    </message>
    <message>
        <source>Playbook</source>
        <translation>플레이북</translation>
    </message>
    <message>
        <source>Reading the playbook…</source>
        <translation>플레이북을 읽는 중…</translation>
    </message>
    <message>
        <source>The playbook cannot be read.</source>
        <translation>플레이북을 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
    <message>
        <source>All chapters</source>
        <translation>모든 장</translation>
    </message>
    <message>
        <source>Chapter %1</source>
        <translation>%1장</translation>
    </message>
    <message>
        <source>guessed</source>
        <translation>추측함</translation>
    </message>
    <message>
        <source>no guess yet</source>
        <translation>추측 전</translation>
    </message>
    <message>
        <source>the open plan breaks a rule of this chapter</source>
        <translation>열린 계획이 이 장의 규칙을 어깁니다</translation>
    </message>
    <message>
        <source>Your guesses</source>
        <translation>나의 추측</translation>
    </message>
    <message>
        <source>Map of claims</source>
        <translation>주장 지도</translation>
    </message>
    <message numerus="yes">
        <source>Chapter %1: %2 checks, %n experiment(s)</source>
        <translation>
            <numerusform>%1장: 계산 예 %2개, 실험 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2 chapters guessed</source>
        <translation>%2장 중 %1장 추측</translation>
    </message>
    <message>
        <source>Published benchmark</source>
        <translation>공개 벤치마크</translation>
    </message>
    <message>
        <source>All chapters with a guess as one report.</source>
        <translation>추측한 장을 모두 담은 보고서 하나.</translation>
    </message>
</context>
<context>
    <name>slipway::gui::PlaybookShelf</name>
    <message>
        <source>this computer</source>
        <translation>이 컴퓨터</translation>
    </message>
    <message>
        <source>one GPU</source>
        <translation>GPU 하나</translation>
    </message>
    <message>
        <source>one node</source>
        <translation>노드 하나</translation>
    </message>
    <message>
        <source>a cluster</source>
        <translation>클러스터</translation>
    </message>
    <message>
        <source>a calculation</source>
        <translation>계산</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>번호</translation>
    </message>
    <message>
        <source>Chapter</source>
        <translation>장</translation>
    </message>
    <message>
        <source>Your guess</source>
        <translation>나의 추측</translation>
    </message>
    <message>
        <source>Checks reached</source>
        <translation>계산 예</translation>
    </message>
    <message>
        <source>Experiments</source>
        <translation>실험</translation>
    </message>
    <message>
        <source>Your plan</source>
        <translation>나의 계획</translation>
    </message>
    <message>
        <source>breaks a rule</source>
        <translation>규칙을 어김</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>실험</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>제목</translation>
    </message>
    <message>
        <source>Needs</source>
        <translation>필요한 것</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>판정</translation>
    </message>
    <message>
        <source>Chapters</source>
        <translation>장</translation>
    </message>
    <message>
        <source>Three ways through:</source>
        <translation>세 가지 길:</translation>
    </message>
    <message>
        <source>Reader</source>
        <translation>독자</translation>
    </message>
    <message>
        <source>Planner</source>
        <translation>계획</translation>
    </message>
    <message>
        <source>Experimenter</source>
        <translation>실험</translation>
    </message>
    <message>
        <source>Chapters in order: guess, read, move the figures.</source>
        <translation>장을 차례로: 추측하고, 읽고, 값을 움직여 봅니다.</translation>
    </message>
    <message>
        <source>Rules that the open plan breaks, each with its chapter.</source>
        <translation>열린 계획이 어기는 규칙과 그것을 설명하는 장.</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%2개 중 %1개</translation>
    </message>
    <message>
        <source>waits for: %1</source>
        <translation>기다리는 것: %1</translation>
    </message>
    <message>
        <source>Chapters for your plan</source>
        <translation>나의 계획에 맞는 장</translation>
    </message>
    <message>
        <source>the open plan breaks one of their rules</source>
        <translation>열린 계획이 이 장의 규칙을 어깁니다</translation>
    </message>
    <message>
        <source>The open plan breaks none of the rules.</source>
        <translation>열린 계획이 어기는 규칙이 없습니다.</translation>
    </message>
    <message>
        <source>Pre-flight list</source>
        <translation>출발 전 점검</translation>
    </message>
    <message>
        <source>every rule of the chapters, on the open plan</source>
        <translation>장의 모든 규칙을 열린 계획에 대어 봄</translation>
    </message>
    <message>
        <source>Found: %1</source>
        <translation>해당: %1</translation>
    </message>
    <message>
        <source>Not found: %1</source>
        <translation>해당 없음: %1</translation>
    </message>
    <message>
        <source>Catalogue</source>
        <translation>목록</translation>
    </message>
    <message>
        <source>Systems of the sources, large models, words in two languages.</source>
        <translation>출처의 시스템, 대형 모델, 두 언어의 용어.</translation>
    </message>
    <message>
        <source>Systems</source>
        <translation>시스템</translation>
    </message>
    <message>
        <source>what the sources train with</source>
        <translation>출처가 학습에 쓰는 것</translation>
    </message>
    <message>
        <source>Config: `slipway convert --to %1`.</source>
        <translation>설정: `slipway convert --to %1`.</translation>
    </message>
    <message>
        <source>Launch file: `slipway convert --to %1`.</source>
        <translation>실행 파일: `slipway convert --to %1`.</translation>
    </message>
    <message>
        <source>Large models</source>
        <translation>대형 모델</translation>
    </message>
    <message>
        <source>as published</source>
        <translation>공개된 값</translation>
    </message>
    <message>
        <source>unpublished</source>
        <translation>비공개</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>용어</translation>
    </message>
    <message>
        <source>English and Korean</source>
        <translation>영어와 한국어</translation>
    </message>
    <message>
        <source>Manual checks</source>
        <translation>직접 확인할 항목</translation>
    </message>
    <message>
        <source>what no program can see</source>
        <translation>프로그램이 볼 수 없는 것</translation>
    </message>
    <message>
        <source>Published data</source>
        <translation>공개 데이터</translation>
    </message>
    <message>
        <source>fetched only when you ask, kept in your home</source>
        <translation>요청할 때만 내려받아 홈 폴더에 둡니다</translation>
    </message>
    <message>
        <source>%1. %2, about %3.</source>
        <translation>%1. %2, 약 %3.</translation>
    </message>
    <message>
        <source>on this computer</source>
        <translation>이 컴퓨터에 있음</translation>
    </message>
    <message>
        <source>Fetch…</source>
        <translation>내려받기…</translation>
    </message>
    <message>
        <source>Fetch “%1”</source>
        <translation>“%1” 내려받기</translation>
    </message>
    <message>
        <source>Layout axes: %1.</source>
        <translation>병렬 구성의 축: %1.</translation>
    </message>
    <message>
        <source>drawn from the open plan %1</source>
        <translation>열린 계획 %1로 그린 그림</translation>
    </message>
    <message>
        <source>When to use what</source>
        <translation>언제 무엇을 쓸까</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>실행 수</translation>
    </message>
    <message>
        <source>Short form</source>
        <translation>짧은 형태</translation>
    </message>
    <message>
        <source>Full form</source>
        <translation>전체 형태</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>디스크</translation>
    </message>
    <message>
        <source>Does not fit</source>
        <translation>들어가지 않는 점</translation>
    </message>
    <message>
        <source>All experiments: required hardware, duration, verdict. Times on GPUs are forecasts for H100s.</source>
        <translation>모든 실험: 필요한 하드웨어, 걸리는 시간, 판정. GPU의 시간은 H100으로 예측한 값입니다.</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>알 수 없음</translation>
    </message>
</context>
<context>
    <name>slipway::gui::RankGrid</name>
    <message>
        <source>Rank %1 is %2 above the median.</source>
        <translation>랭크 %1: 중앙값보다 %2 높습니다.</translation>
    </message>
    <message>
        <source>No rank has reported.</source>
        <translation>보고한 랭크가 없습니다.</translation>
    </message>
    <message>
        <source>All ranks are within 5 % of the median.</source>
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
    <name>slipway::gui::RankMapView</name>
    <message>
        <source>Ranks by step</source>
        <translation>스텝별 랭크</translation>
    </message>
    <message>
        <source>node %1</source>
        <translation>노드 %1</translation>
    </message>
    <message>
        <source>No rank has written a record.</source>
        <translation>기록을 남긴 랭크가 없습니다.</translation>
    </message>
    <message>
        <source>This run does not record the waits of its ranks; all ranks of a step end together.</source>
        <translation>이 실행은 랭크의 대기 시간을 기록하지 않습니다. 한 스텝의 모든 랭크는 함께 끝납니다.</translation>
    </message>
    <message>
        <source>No rank is slow.</source>
        <translation>느린 랭크가 없습니다.</translation>
    </message>
    <message>
        <source>Rank %1 is %2 slower than the median of its stage.</source>
        <translation>랭크 %1이(가) 같은 단계의 중앙값보다 %2 느립니다.</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>스텝 %1</translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation>스텝 %1~%2</translation>
    </message>
    <message>
        <source>node %1, rank %2, %3</source>
        <translation>노드 %1, 랭크 %2, %3</translation>
    </message>
    <message>
        <source>%1: no record</source>
        <translation>%1: 기록 없음</translation>
    </message>
    <message>
        <source>%1: %2, %3 from the median</source>
        <translation>%1: %2, 중앙값 대비 %3</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>노드</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>랭크</translation>
    </message>
    <message>
        <source>First step</source>
        <translation>첫 스텝</translation>
    </message>
    <message>
        <source>Last step</source>
        <translation>마지막 스텝</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>값</translation>
    </message>
    <message>
        <source>From the median</source>
        <translation>중앙값 대비</translation>
    </message>
</context>
<context>
    <name>slipway::gui::RanksView</name>
    <message>
        <source>Forward</source>
        <translation>순전파</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>역전파</translation>
    </message>
    <message>
        <source>Weight gradient</source>
        <translation>가중치 그래디언트</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>옵티마이저</translation>
    </message>
    <message>
        <source>Wait</source>
        <translation>대기</translation>
    </message>
    <message>
        <source>Ranks by step</source>
        <translation>스텝별 랭크</translation>
    </message>
    <message>
        <source>Quantity of the heat map</source>
        <translation>히트맵에 표시할 값</translation>
    </message>
    <message>
        <source>Own time</source>
        <translation>자체 시간</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>스텝 시간</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>대기</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>최대 메모리</translation>
    </message>
    <message>
        <source>Slow ranks</source>
        <translation>느린 랭크</translation>
    </message>
    <message>
        <source>Reading the ranks…</source>
        <translation>랭크를 읽는 중…</translation>
    </message>
    <message>
        <source>No rank has written a record.</source>
        <translation>기록을 남긴 랭크가 없습니다.</translation>
    </message>
    <message>
        <source>The bundled trainer writes one for each rank and step; imported runs have none.</source>
        <translation>포함된 트레이너는 랭크와 스텝마다 기록을 남깁니다. 가져온 실행에는 없습니다.</translation>
    </message>
    <message>
        <source>difference from the median of the same steps</source>
        <translation>같은 스텝의 중앙값과의 차이</translation>
    </message>
    <message numerus="yes">
        <source>%n record(s) read at even distances</source>
        <translation>
            <numerusform>같은 간격으로 기록 %n개만 읽음</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rank(s) a row, the one furthest from the median</source>
        <translation>
            <numerusform>한 줄에 랭크 %n개, 중앙값에서 가장 먼 랭크를 표시</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>node %1, rank %2: %3 slower for %n step(s), %4 to %5; %6 lost</source>
        <translation>
            <numerusform>노드 %1, 랭크 %2: 스텝 %n개(%4~%5) 동안 %3 느림, %6 허비</numerusform>
        </translation>
    </message>
    <message>
        <source>A stage has fewer than three ranks: too few for a median that shows a slow one.</source>
        <translation>한 단계의 랭크가 셋보다 적어, 중앙값으로 느린 랭크를 가릴 수 없습니다.</translation>
    </message>
    <message>
        <source>own time more than 5 % above the median of the stage, in a tenth of the steps</source>
        <translation>스텝의 10분의 1 이상에서 자체 시간이 같은 단계의 중앙값보다 5 % 넘게 긺</translation>
    </message>
    <message>
        <source>Spans</source>
        <translation>구간</translation>
    </message>
    <message>
        <source>none recorded; telemetry.spans_every_steps sets how often the trainer records them</source>
        <translation>기록되지 않았습니다. 기록 간격은 telemetry.spans_every_steps로 정합니다</translation>
    </message>
    <message>
        <source>step %1, the replica of rank %2</source>
        <translation>스텝 %1, 랭크 %2의 복제본</translation>
    </message>
    <message>
        <source>%1 of %2 ranks</source>
        <translation>랭크 %2개 중 %1개</translation>
    </message>
</context>
<context>
    <name>slipway::gui::ReportDialog</name>
    <message>
        <source>Report</source>
        <translation>보고서</translation>
    </message>
    <message>
        <source>HTML page</source>
        <translation>HTML 페이지</translation>
    </message>
    <message>
        <source>LaTeX tables</source>
        <translation>LaTeX 표</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>제목</translation>
    </message>
    <message>
        <source>Author</source>
        <translation>작성자</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>질문</translation>
    </message>
    <message>
        <source>Date</source>
        <translation>날짜</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>형식</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>언어</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>요약</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>저장…</translation>
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
        <source>Save report</source>
        <translation>보고서 저장</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1에 저장했습니다</translation>
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
        <translation>이벤트</translation>
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
        <translation>스무딩</translation>
    </message>
    <message>
        <source>Log y</source>
        <translation>로그 y</translation>
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
        <source>synchronized with other GPUs</source>
        <translation>다른 GPU와 클럭 맞춤</translation>
    </message>
    <message>
        <source>rank %1 (%2)</source>
        <translation>랭크 %1(%2)</translation>
    </message>
    <message numerus="yes">
        <source>%n GPU(s) throttled, such as %1.</source>
        <translation>
            <numerusform>GPU %n개의 클럭이 제한되어 있습니다. 예: %1.</numerusform>
        </translation>
    </message>
    <message>
        <source>Throttled: %1.</source>
        <translation>클럭 제한: %1.</translation>
    </message>
    <message>
        <source>Forecast and measurement</source>
        <translation>예측과 측정</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>이벤트</translation>
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
        <source>none yet</source>
        <translation>아직 없음</translation>
    </message>
    <message>
        <source>latest first</source>
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
        <source>%1, about %2 left</source>
        <translation>%1, 약 %2 남음</translation>
    </message>
    <message>
        <source>waiting for the first step</source>
        <translation>첫 스텝을 기다리는 중</translation>
    </message>
    <message>
        <source>no steps recorded</source>
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
        <source>clipped at %1</source>
        <translation>%1에서 자름</translation>
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
        <source>forecast %1</source>
        <translation>예측 %1</translation>
    </message>
    <message>
        <source>mean over ranks</source>
        <translation>랭크 평균</translation>
    </message>
    <message>
        <source>latest value per rank</source>
        <translation>랭크별 최신 값</translation>
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
        <source>MFU (%1)</source>
        <translation>MFU(%1)</translation>
    </message>
    <message>
        <source>Memory, worst rank</source>
        <translation>메모리(최대 랭크)</translation>
    </message>
    <message>
        <source>Traffic per rank</source>
        <translation>랭크당 통신 송신량</translation>
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
        <source>forecast; no spans recorded (telemetry.spans_every_steps)</source>
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
        <source>Latest held-out loss</source>
        <translation>마지막 검증 손실</translation>
    </message>
    <message>
        <source>basis: %1</source>
        <translation>근거: %1</translation>
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
        <source>Idle share of the pipeline ranks, median of the steps after warm-up.</source>
        <translation>파이프라인 랭크가 기다린 시간의 비율로, 워밍업 뒤 스텝의 중앙값입니다.</translation>
    </message>
    <message>
        <source>Peak tensor bytes of the worst rank.</source>
        <translation>랭크별 최대 텐서 바이트 중 가장 큰 값입니다.</translation>
    </message>
    <message>
        <source>Counted by the ranks at each collective, mean over ranks.</source>
        <translation>각 랭크가 집합 통신마다 센 값의 평균입니다.</translation>
    </message>
    <message>
        <source>Time in collectives, overlapped or exposed, mean over ranks.</source>
        <translation>집합 통신 시간(겹치거나 노출된 시간)의 랭크 평균입니다.</translation>
    </message>
    <message>
        <source>Latest recorded step.</source>
        <translation>마지막으로 기록된 스텝의 값입니다.</translation>
    </message>
    <message>
        <source>Latest recorded evaluation.</source>
        <translation>마지막으로 기록된 평가의 값입니다.</translation>
    </message>
    <message>
        <source>The first step is running.</source>
        <translation>첫 스텝을 진행하고 있습니다.</translation>
    </message>
    <message>
        <source>The run has not started yet.</source>
        <translation>실행이 아직 시작되지 않았습니다.</translation>
    </message>
    <message>
        <source>The steps of this run have no such figure.</source>
        <translation>이 실행의 스텝에는 이 수치가 없습니다.</translation>
    </message>
    <message>
        <source>No steps of this run were recorded.</source>
        <translation>기록된 스텝이 없어 곡선이 없습니다.</translation>
    </message>
    <message>
        <source>Enter opens the formula.</source>
        <translation>Enter를 누르면 계산식을 엽니다.</translation>
    </message>
    <message>
        <source>As recorded at launch; the current forecast is %1.</source>
        <translation>시작할 때 저장한 값입니다. 지금의 예측 계산식으로는 %1입니다.</translation>
    </message>
    <message>
        <source>Latest loss</source>
        <translation>최근 손실</translation>
    </message>
    <message>
        <source>Views of the run</source>
        <translation>실행 보기</translation>
    </message>
    <message>
        <source>Board</source>
        <translation>보드</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>개요</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>스텝 %1</translation>
    </message>
    <message>
        <source>Running, no contact</source>
        <translation>실행 중, 연결 안 됨</translation>
    </message>
    <message>
        <source>Queued, no contact</source>
        <translation>대기 중, 연결 안 됨</translation>
    </message>
    <message>
        <source>on %1</source>
        <translation>%1에서</translation>
    </message>
    <message>
        <source>none</source>
        <translation>없음</translation>
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
        <source>Among other runs</source>
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
        <source>tokens/s/device of the newest %Ln run(s)</source>
        <translation>
            <numerusform>최신 실행 %Ln개의 토큰/초/장치</numerusform>
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
        <source>Latest held-out loss</source>
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
        <source>Move to trash</source>
        <translation>휴지통으로 옮기기</translation>
    </message>
    <message>
        <source>Restore from trash</source>
        <translation>휴지통에서 되돌리기</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>잠금</translation>
    </message>
    <message>
        <source>Unlock</source>
        <translation>잠금 해제</translation>
    </message>
</context>
<context>
    <name>slipway::gui::RunsModel</name>
    <message>
        <source>Running, no contact</source>
        <translation>실행 중, 연결 안 됨</translation>
    </message>
    <message>
        <source>Queued, no contact</source>
        <translation>대기 중, 연결 안 됨</translation>
    </message>
    <message>
        <source>Runs on %1.</source>
        <translation>%1에서 실행됩니다.</translation>
    </message>
</context>
<context>
    <name>slipway::gui::RunsPage</name>
    <message>
        <source>Report… (of at most %L1 runs)</source>
        <translation>보고서… (실행 %L1개까지)</translation>
    </message>
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
        <source>Runs shown</source>
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
        <source>Move to trash</source>
        <translation>휴지통으로 옮기기</translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) moved to trash; Ctrl+Z restores.</source>
        <translation>
            <numerusform>실행 %Ln개를 휴지통으로 옮겼습니다. Ctrl+Z로 되돌립니다.</numerusform>
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
    <message>
        <source>Lock</source>
        <translation>잠금</translation>
    </message>
    <message>
        <source>Unlock</source>
        <translation>잠금 해제</translation>
    </message>
    <message>
        <source>Clone as a new plan</source>
        <translation>복제해서 새 계획 만들기</translation>
    </message>
    <message>
        <source>The plan has the run&apos;s configuration; launching it makes a run of its own.</source>
        <translation>계획에 이 실행의 구성을 불러왔습니다. 시작하면 새 실행이 만들어집니다.</translation>
    </message>
    <message>
        <source>Report…</source>
        <translation>보고서…</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>재개</translation>
    </message>
    <message>
        <source>Stop after this step</source>
        <translation>이 스텝 후 중지</translation>
    </message>
    <message>
        <source>Stop the run?</source>
        <translation>실행을 중지할까요?</translation>
    </message>
    <message>
        <source>%1 ends after its current step and writes a checkpoint. It can be resumed.</source>
        <translation>현재 스텝을 마치고 체크포인트를 저장한 뒤 끝납니다: %1. 다시 이어서 실행할 수 있습니다.</translation>
    </message>
    <message>
        <source>Remove baseline</source>
        <translation>기준 해제</translation>
    </message>
    <message>
        <source>Make it the baseline</source>
        <translation>기준으로 지정</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>폴더 열기</translation>
    </message>
    <message>
        <source>Copy id</source>
        <translation>ID 복사</translation>
    </message>
    <message>
        <source>Copy ids</source>
        <translation>ID 모두 복사</translation>
    </message>
    <message>
        <source>Baseline: %1</source>
        <translation>기준: %1</translation>
    </message>
    <message>
        <source>No saved views</source>
        <translation>저장된 보기 없음</translation>
    </message>
    <message>
        <source>Save view…</source>
        <translation>보기 저장…</translation>
    </message>
    <message>
        <source>Save view</source>
        <translation>보기 저장</translation>
    </message>
    <message>
        <source>Delete view</source>
        <translation>보기 삭제</translation>
    </message>
    <message>
        <source>Not grouped</source>
        <translation>그룹 없음</translation>
    </message>
    <message>
        <source>Other fields</source>
        <translation>다른 필드</translation>
    </message>
    <message>
        <source>All columns</source>
        <translation>모든 열</translation>
    </message>
    <message>
        <source>Columns shown</source>
        <translation>표시된 열</translation>
    </message>
    <message>
        <source>CSV…</source>
        <translation>CSV…</translation>
    </message>
    <message>
        <source>Markdown…</source>
        <translation>Markdown…</translation>
    </message>
    <message>
        <source>LaTeX…</source>
        <translation>LaTeX…</translation>
    </message>
    <message>
        <source>Parquet…</source>
        <translation>Parquet…</translation>
    </message>
    <message>
        <source>Export runs</source>
        <translation>실행 내보내기</translation>
    </message>
    <message numerus="yes">
        <source>Tags to add to %n run(s); -tag removes one</source>
        <translation>
            <numerusform>실행 %n개에 추가할 태그(-태그는 제거)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>A line to add to the notes of %n run(s)</source>
        <translation>
            <numerusform>실행 %n개의 메모에 추가할 줄</numerusform>
        </translation>
    </message>
    <message>
        <source>Export</source>
        <translation>내보내기</translation>
    </message>
    <message>
        <source>Views</source>
        <translation>보기</translation>
    </message>
    <message>
        <source>Group by</source>
        <translation>그룹</translation>
    </message>
    <message>
        <source>By %1</source>
        <translation>%1별</translation>
    </message>
    <message>
        <source>Name: filter, columns, order, groups, baseline and charts are kept</source>
        <translation>이름: 필터, 열, 순서, 그룹, 기준선, 차트가 저장됩니다</translation>
    </message>
    <message>
        <source>%1, %2 skipped</source>
        <translation>%1, 건너뜀 %2</translation>
    </message>
    <message>
        <source>Skipped: trials of the sweeps of these runs that never became a run.</source>
        <translation>건너뜀: 이 실행들의 스윕에서 실행되지 않은 시행입니다.</translation>
    </message>
</context>
<context>
    <name>slipway::gui::RunsPictures</name>
    <message>
        <source>Figure of x</source>
        <translation>x축 값</translation>
    </message>
    <message>
        <source>Figure of y</source>
        <translation>y축 값</translation>
    </message>
    <message>
        <source>Select the front</source>
        <translation>파레토 최적 선택</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>모두 보기</translation>
    </message>
    <message>
        <source>Field of one more axis</source>
        <translation>추가할 축의 필드</translation>
    </message>
    <message>
        <source>Add axis…</source>
        <translation>축 추가…</translation>
    </message>
    <message>
        <source>Axes</source>
        <translation>축</translation>
    </message>
    <message>
        <source>Picture of the runs</source>
        <translation>실행 그림</translation>
    </message>
    <message>
        <source>Along their fields</source>
        <translation>필드별</translation>
    </message>
    <message>
        <source>Pareto front</source>
        <translation>파레토 최적</translation>
    </message>
    <message>
        <source>Forecast and measurement</source>
        <translation>예측과 측정</translation>
    </message>
    <message numerus="yes">
        <source>%n Pareto-optimal</source>
        <translation>
            <numerusform>파레토 최적 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>%1; median error %2</source>
        <translation>%1, 오차 중앙값 %2</translation>
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
        <source>Runs</source>
        <translation>실행</translation>
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
        <source>Step time</source>
        <translation>가장 짧은 스텝</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>가장 적은 메모리</translation>
    </message>
    <message>
        <source>Device-hours</source>
        <translation>가장 적은 장치·시간</translation>
    </message>
    <message>
        <source>Optimize for</source>
        <translation>최적화 기준</translation>
    </message>
    <message>
        <source>Device counts to search, for example 256,512. Empty: all of the plan&apos;s hardware.</source>
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
        <source>Layouts of the bundled trainer only</source>
        <translation>포함된 트레이너가 실행할 수 있는 병렬 구성만</translation>
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
        <source>Memory limit per rank. Empty: all of its device, %1.</source>
        <translation>한 랭크가 쓸 수 있는 메모리입니다. 비우면 장치가 가진 %1 전체입니다.</translation>
    </message>
    <message>
        <source>Memory limit per rank. Empty: all of its device.</source>
        <translation>한 랭크가 쓸 수 있는 메모리입니다. 비우면 장치가 가진 전체입니다.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Free: AFAB, 1F1B and interleaved 1F1B; choose another schedule to search it.</source>
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
        <source>Search space</source>
        <translation>탐색 공간</translation>
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
        <source>Fixes every axis to the plan&apos;s value; then free the axes to search.</source>
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
        <source>Layout axes</source>
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
        <source>The search evaluates every legal layout of this plan&apos;s model, batch and hardware, keeps the fastest and the Pareto-optimal ones, and lists skipped layouts with their reasons.</source>
        <translation>이 계획의 모델, 배치 크기, 하드웨어로 성립하는 모든 병렬 구성을 판단하고, 가장 빠른 것과 속도를 메모리와 맞바꾸는 것을 남기며, 무엇을 왜 뺐는지 알려 줍니다.</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>탐색</translation>
    </message>
    <message>
        <source>The search cannot run.</source>
        <translation>탐색할 수 없습니다.</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>탐색 중…</translation>
    </message>
    <message>
        <source>Every layout is first checked for legality and memory; promising layouts are then estimated.</source>
        <translation>먼저 모든 병렬 구성이 성립하는지와 메모리를 판단하고, 그다음 유망한 것을 추정합니다.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Cancelled before the first result.</source>
        <translation>무언가를 찾기 전에 취소되었습니다.</translation>
    </message>
    <message>
        <source>No results were kept.</source>
        <translation>남은 것이 없습니다.</translation>
    </message>
    <message>
        <source>No layout fits.</source>
        <translation>메모리에 맞는 병렬 구성이 없습니다.</translation>
    </message>
    <message>
        <source>No layout meets the limits.</source>
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
        <source>%1 of %2 layouts in the ranges</source>
        <translation>병렬 구성 %2개 중 %1개가 범위를 통과</translation>
    </message>
    <message>
        <source>Checking legality and memory: %1, %2</source>
        <translation>성립 여부와 메모리 판단 중: %1, %2</translation>
    </message>
    <message>
        <source>Evaluating promising groups of layouts: %1 so far, %2</source>
        <translation>유망한 병렬 구성 묶음을 살펴보는 중: 지금까지 %1개, %2</translation>
    </message>
    <message>
        <source>Correct the marked limit.</source>
        <translation>표시된 제한을 고치세요.</translation>
    </message>
    <message>
        <source>Not searched yet</source>
        <translation>아직 탐색하지 않음</translation>
    </message>
    <message>
        <source>Cancelled after %1; results until then are kept</source>
        <translation>%1 뒤 취소됨, 그때까지 찾은 것은 남습니다</translation>
    </message>
    <message>
        <source>%1 layouts evaluated in %2</source>
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
        <source>Memory of the worst rank</source>
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
        <source>%n Pareto-optimal</source>
        <translation>
            <numerusform>파레토 최적 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>Applied %1 to the plan; Ctrl+Z undoes it.</source>
        <translation>계획에 적용했습니다: %1. Ctrl+Z로 되돌립니다.</translation>
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
        <source>Drag along an axis to filter layouts.</source>
        <translation>축을 따라 끌면 지나가는 구성만 남습니다.</translation>
    </message>
    <message>
        <source>All variants</source>
        <translation>모든 변형</translation>
    </message>
    <message>
        <source>Off: one layout per choice of degrees, schedule, micro-batch and recomputation; nearly equal variants are listed as alternatives. On: every layout separately.</source>
        <translation>끔: 병렬도, 파이프라인 방식, 마이크로배치, 재계산이 같거나 데이터 병렬과 컨텍스트 병렬, 조각 수만 맞바꾼 것 중 하나만 보이고 나머지는 옆에 대안으로 보입니다. 켬: 모든 병렬 구성을 따로 보입니다.</translation>
    </message>
    <message>
        <source>Applied to the plan: %1; Ctrl+Z undoes it.</source>
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
    <message>
        <source>Opens a new sweep of the five best runnable layouts; it lists what cannot run here before it starts.</source>
        <translation>실행할 수 있는 가장 좋은 병렬 구성 다섯 개로 새 스윕을 엽니다. 여기서 실행할 수 없는 것은 시작 전에 표시됩니다.</translation>
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
        <source>System default</source>
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
        <source>Delete runs older than %n day(s) from the trash…</source>
        <translation>
            <numerusform>휴지통에서 %n일 지난 실행 지우기…</numerusform>
        </translation>
    </message>
    <message>
        <source>Empty the trash</source>
        <translation>휴지통 비우기</translation>
    </message>
    <message numerus="yes">
        <source>Run folders in the trash for more than %n day(s) are deleted permanently.</source>
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
    <message>
        <source>Alerts</source>
        <translation>알림</translation>
    </message>
    <message>
        <source>Hardware, prices and launchers</source>
        <translation>하드웨어, 가격, 런처</translation>
    </message>
    <message>
        <source>Hardware and prices</source>
        <translation>하드웨어와 가격</translation>
    </message>
    <message>
        <source>Tables of devices and their prices, with sources, and your own entries</source>
        <translation>출처가 있는 장치와 가격 표. 직접 더한 것도 함께 있습니다</translation>
    </message>
    <message>
        <source>Tools &gt; Devices</source>
        <translation>도구 &gt; 장치</translation>
    </message>
    <message>
        <source>Launchers</source>
        <translation>런처</translation>
    </message>
    <message>
        <source>This computer, computers over SSH, Slurm</source>
        <translation>이 컴퓨터, SSH로 연결한 컴퓨터, Slurm</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>노드</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>단축키</translation>
    </message>
    <message>
        <source>Comfortable</source>
        <translation>넉넉하게</translation>
    </message>
    <message>
        <source>Compact</source>
        <translation>조밀하게</translation>
    </message>
    <message>
        <source>Rows of tables</source>
        <translation>표의 행 간격</translation>
    </message>
    <message>
        <source>Backup</source>
        <translation>백업</translation>
    </message>
</context>
<context>
    <name>slipway::gui::ShareStrip</name>
    <message>
        <source>Trials by outcome</source>
        <translation>결과별 시행</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>결과</translation>
    </message>
    <message>
        <source>Trials</source>
        <translation>시행</translation>
    </message>
</context>
<context>
    <name>slipway::gui::SpanTimeline</name>
    <message>
        <source>Forward</source>
        <translation>순전파</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>역전파</translation>
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
        <source>Overlapped forward and backward</source>
        <translation>순전파와 역전파 동시</translation>
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
        <source>Optimizer</source>
        <translation>옵티마이저</translation>
    </message>
    <message>
        <source>Spans of the ranks</source>
        <translation>랭크별 구간</translation>
    </message>
    <message>
        <source>No spans are recorded.</source>
        <translation>기록된 구간이 없습니다.</translation>
    </message>
    <message numerus="yes">
        <source>Spans of %n rank(s) in step %1, which takes %2; rank %3 has the shortest wait, %4.</source>
        <translation>
            <numerusform>스텝 %1의 랭크 %n개 구간, 소요 시간 %2. 대기가 가장 적은 랭크는 %3(%4)입니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>랭크</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>단계</translation>
    </message>
    <message>
        <source>Span</source>
        <translation>구간</translation>
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
        <source>Wait: %1</source>
        <translation>대기: %1</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>연산</translation>
    </message>
    <message>
        <source>Traffic</source>
        <translation>통신</translation>
    </message>
    <message>
        <source>Wait</source>
        <translation>대기</translation>
    </message>
    <message>
        <source>stage %1, rank %2</source>
        <translation>단계 %1, 랭크 %2</translation>
    </message>
    <message>
        <source>%1 – %2, %3</source>
        <translation>%1 – %2, %3</translation>
    </message>
    <message>
        <source>rank %1, stage %2</source>
        <translation>랭크 %1, 단계 %2</translation>
    </message>
    <message>
        <source>%1, micro-batch %2</source>
        <translation>%1, 마이크로배치 %2</translation>
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
        <source>Runs appear here once planned, started or imported. Nothing leaves this computer.</source>
        <translation>계획하거나 시작하거나 가져온 실행이 여기에 나타납니다. 어떤 자료도 이 컴퓨터 밖으로 나가지 않습니다.</translation>
    </message>
    <message>
        <source>Plan a run</source>
        <translation>실행 계획하기</translation>
    </message>
    <message>
        <source>Choose a model and hardware. Memory, step time and cost are forecast before the start.</source>
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
        <source>Copy them to the run folder, then read them into the index.</source>
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
        <source>not found in the folder of this program</source>
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
        <source>measured</source>
        <translation>측정함</translation>
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
    <name>slipway::gui::StepDifferenceView</name>
    <message>
        <source>Run to compare with</source>
        <translation>기준 실행</translation>
    </message>
    <message>
        <source>Run to explain</source>
        <translation>설명할 실행</translation>
    </message>
    <message>
        <source>Parts of the step</source>
        <translation>스텝의 구성</translation>
    </message>
    <message>
        <source>Settings that differ</source>
        <translation>서로 다른 설정</translation>
    </message>
    <message>
        <source>Choose two different runs.</source>
        <translation>서로 다른 실행 두 개를 선택하세요.</translation>
    </message>
    <message>
        <source>The steps cannot be compared.</source>
        <translation>스텝을 비교할 수 없습니다.</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>설정</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>비교</translation>
    </message>
    <message>
        <source>with</source>
        <translation>대상</translation>
    </message>
    <message>
        <source>A step of the second run is compared with one of the first.</source>
        <translation>두 번째 실행의 스텝을 첫 번째 실행의 스텝과 비교합니다.</translation>
    </message>
    <message>
        <source>Reading the runs…</source>
        <translation>실행을 읽는 중…</translation>
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
    <name>slipway::gui::SweepForm</name>
    <message>
        <source>Name</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>질문</translation>
    </message>
    <message>
        <source>Axes</source>
        <translation>축</translation>
    </message>
    <message>
        <source>Values as a list (1, 2, 4) or a range (1..8, 1..9 +2, 1..64 x2). The trials are the product of all axes.</source>
        <translation>값은 목록(1, 2, 4)이나 범위(1..8, 1..9 +2, 1..64 x2)로 적습니다. 시행은 모든 축의 조합입니다.</translation>
    </message>
    <message>
        <source>Add an axis</source>
        <translation>축 추가</translation>
    </message>
    <message>
        <source>Stop rules</source>
        <translation>중지 규칙</translation>
    </message>
    <message>
        <source>as the config has them</source>
        <translation>설정대로</translation>
    </message>
    <message>
        <source>none</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>never</source>
        <translation>하지 않음</translation>
    </message>
    <message>
        <source>Stop a trial whose loss is not finite</source>
        <translation>손실이 유한하지 않은 시행 중지</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>위치</translation>
    </message>
    <message>
        <source>Steps per trial</source>
        <translation>시행당 스텝</translation>
    </message>
    <message>
        <source>Time limit per trial, s</source>
        <translation>시행당 시간 제한, 초</translation>
    </message>
    <message>
        <source>Budget of the sweep, s</source>
        <translation>스윕 예산, 초</translation>
    </message>
    <message>
        <source>End after failures</source>
        <translation>실패 횟수로 종료</translation>
    </message>
    <message>
        <source>Trials that run at the same time share the machine: compare speeds with one at a time.</source>
        <translation>동시에 실행되는 시행은 컴퓨터를 나누어 씁니다. 속도를 비교하려면 한 번에 하나씩 실행하세요.</translation>
    </message>
    <message>
        <source>Trials at a time</source>
        <translation>동시 시행 수</translation>
    </message>
    <message>
        <source>Trials at a time, on each node</source>
        <translation>노드마다 동시 시행 수</translation>
    </message>
    <message>
        <source>The file</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>changes with the form, and the form with it</source>
        <translation>양식과 함께 바뀝니다</translation>
    </message>
    <message>
        <source>Problems of the file</source>
        <translation>파일의 문제</translation>
    </message>
    <message>
        <source>Points that cannot run</source>
        <translation>실행할 수 없는 점</translation>
    </message>
    <message>
        <source>Before it starts</source>
        <translation>시작하기 전에</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>제거</translation>
    </message>
    <message>
        <source>see the file</source>
        <translation>파일 참고</translation>
    </message>
    <message>
        <source>Field of axis %1</source>
        <translation>축 %1의 항목</translation>
    </message>
    <message>
        <source>Values of axis %1</source>
        <translation>축 %1의 값</translation>
    </message>
    <message numerus="yes">
        <source>%n problem(s); nothing can start.</source>
        <translation>
            <numerusform>문제 %n개, 시작할 수 없습니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>Checking the nodes…</source>
        <translation>노드를 점검하는 중…</translation>
    </message>
    <message>
        <source>%1 points: too many to plan while typing, counted only.</source>
        <translation>점 %1개: 입력 중에 계획하기에는 너무 많아 개수만 셉니다.</translation>
    </message>
    <message>
        <source>%1 points, all of them can run</source>
        <translation>점 %1개, 모두 실행 가능</translation>
    </message>
    <message>
        <source>%1 points: %2 can run, %3 cannot</source>
        <translation>점 %1개: %2개 실행 가능, %3개 불가</translation>
    </message>
    <message>
        <source>about %1 by forecast</source>
        <translation>예측 약 %1</translation>
    </message>
    <message>
        <source>the budget of %1 may end it earlier</source>
        <translation>예산 %1에 먼저 끝날 수 있음</translation>
    </message>
    <message>
        <source>line %1</source>
        <translation>%1번째 줄</translation>
    </message>
    <message>
        <source>Go to</source>
        <translation>이동</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>탐색</translation>
    </message>
    <message>
        <source>every point, in order</source>
        <translation>모든 점을 차례로</translation>
    </message>
    <message>
        <source>all that can run</source>
        <translation>실행할 수 있는 모든 점</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>방법</translation>
    </message>
    <message>
        <source>Objective</source>
        <translation>목표</translation>
    </message>
    <message>
        <source>Maximum points</source>
        <translation>최대 실행 점 수</translation>
    </message>
    <message>
        <source>At every multiple of these steps, a trial worse than the median of the others at the same step is stopped.</source>
        <translation>이 스텝 수의 배수마다, 같은 스텝에서 다른 시행의 중앙값보다 나쁜 시행을 중지합니다.</translation>
    </message>
    <message>
        <source>Compare with the median every, steps</source>
        <translation>중앙값과 비교하는 간격(스텝)</translation>
    </message>
</context>
<context>
    <name>slipway::gui::SweepList</name>
    <message>
        <source>%1 of %2</source>
        <translation>%2 중 %1</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>스윕</translation>
    </message>
    <message>
        <source>State</source>
        <translation>상태</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>완료</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>실패</translation>
    </message>
    <message>
        <source>Skipped</source>
        <translation>건너뜀</translation>
    </message>
    <message>
        <source>Trials</source>
        <translation>시행</translation>
    </message>
    <message>
        <source>Best MFU</source>
        <translation>최고 MFU</translation>
    </message>
    <message>
        <source>Best tokens/s/device</source>
        <translation>최고 토큰/초/장치</translation>
    </message>
    <message>
        <source>Best trial</source>
        <translation>최고 시행</translation>
    </message>
    <message>
        <source>Forecast error</source>
        <translation>예측 오차</translation>
    </message>
    <message>
        <source>Median difference between forecast and measured step time.</source>
        <translation>예측한 스텝 시간과 측정한 스텝 시간의 차이의 중앙값입니다.</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>시작</translation>
    </message>
    <message>
        <source>Time used</source>
        <translation>사용 시간</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>호스트</translation>
    </message>
    <message>
        <source>this computer</source>
        <translation>이 컴퓨터</translation>
    </message>
    <message>
        <source>Sweeps</source>
        <translation>스윕</translation>
    </message>
    <message>
        <source>Open the sweep</source>
        <translation>스윕 열기</translation>
    </message>
    <message>
        <source>Copy id</source>
        <translation>ID 복사</translation>
    </message>
</context>
<context>
    <name>slipway::gui::SweepView</name>
    <message>
        <source>Rows of the heat map</source>
        <translation>히트맵의 행</translation>
    </message>
    <message>
        <source>Columns of the heat map</source>
        <translation>히트맵의 열</translation>
    </message>
    <message>
        <source>One heat map for each value of</source>
        <translation>값마다 히트맵을 하나씩 그릴 항목</translation>
    </message>
    <message>
        <source>Figure of the heat map</source>
        <translation>히트맵의 지표</translation>
    </message>
    <message>
        <source>Did not run</source>
        <translation>실행되지 않음</translation>
    </message>
    <message>
        <source>Trials</source>
        <translation>시행</translation>
    </message>
    <message>
        <source>Best so far</source>
        <translation>현재까지 최고</translation>
    </message>
    <message>
        <source>Forecast and measurement</source>
        <translation>예측과 측정</translation>
    </message>
    <message>
        <source>Stop rules</source>
        <translation>중지 규칙</translation>
    </message>
    <message>
        <source>ran</source>
        <translation>완료</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>실패</translation>
    </message>
    <message>
        <source>running</source>
        <translation>실행 중</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>대기</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>건너뜀</translation>
    </message>
    <message numerus="yes">
        <source>%Ln trial(s)</source>
        <translation>
            <numerusform>시행 %Ln개</numerusform>
        </translation>
    </message>
    <message>
        <source>Rows: %1</source>
        <translation>행: %1</translation>
    </message>
    <message>
        <source>Rows: none</source>
        <translation>행: 없음</translation>
    </message>
    <message>
        <source>Columns: %1</source>
        <translation>열: %1</translation>
    </message>
    <message>
        <source>Columns: none</source>
        <translation>열: 없음</translation>
    </message>
    <message>
        <source>One map per %1</source>
        <translation>%1별 히트맵</translation>
    </message>
    <message>
        <source>Best of the rest</source>
        <translation>나머지 중 최고</translation>
    </message>
    <message>
        <source>Lowest: %1</source>
        <translation>최저: %1</translation>
    </message>
    <message>
        <source>Best: %1</source>
        <translation>최고: %1</translation>
    </message>
    <message>
        <source>every trial so far ran</source>
        <translation>지금까지 모든 시행이 실행됨</translation>
    </message>
    <message>
        <source>%1 of %2, by first reason</source>
        <translation>%2개 중 %1개, 첫 이유별</translation>
    </message>
    <message>
        <source>Trial</source>
        <translation>시행</translation>
    </message>
    <message>
        <source>Forecast</source>
        <translation>예측</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>시간</translation>
    </message>
    <message>
        <source>Trials with this reason</source>
        <translation>이 이유의 시행</translation>
    </message>
    <message>
        <source>trial</source>
        <translation>시행</translation>
    </message>
    <message>
        <source>%1 by trial</source>
        <translation>시행별 %1</translation>
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
        <source>%1; median error %2</source>
        <translation>%1, 오차 중앙값 %2</translation>
    </message>
    <message>
        <source>Steps per trial: at most %1</source>
        <translation>시행당 스텝: 최대 %1</translation>
    </message>
    <message>
        <source>Steps per trial: as the config has them</source>
        <translation>시행당 스텝: 설정대로</translation>
    </message>
    <message>
        <source>Time limit per trial: %1</source>
        <translation>시행당 시간 제한: %1</translation>
    </message>
    <message>
        <source>Loss not finite: the trial stops</source>
        <translation>손실이 유한하지 않으면 시행 중지</translation>
    </message>
    <message>
        <source>Loss not finite: the trial continues</source>
        <translation>손실이 유한하지 않아도 시행 계속</translation>
    </message>
    <message>
        <source>Failures: the sweep ends after %1</source>
        <translation>실패 %1회 후 스윕 종료</translation>
    </message>
    <message>
        <source>Budget: %1</source>
        <translation>예산: %1</translation>
    </message>
    <message>
        <source>Budget: none, %1 used</source>
        <translation>예산: 없음, %1 사용</translation>
    </message>
    <message>
        <source>Time left: about %1</source>
        <translation>남은 시간: 약 %1</translation>
    </message>
    <message>
        <source>This trial has no run. %1</source>
        <translation>이 시행에는 실행이 없습니다. %1</translation>
    </message>
    <message>
        <source>Open the run</source>
        <translation>실행 열기</translation>
    </message>
    <message>
        <source>Copy id</source>
        <translation>ID 복사</translation>
    </message>
    <message>
        <source>Clone as a plan</source>
        <translation>계획으로 복제</translation>
    </message>
    <message>
        <source>Run this trial again</source>
        <translation>이 시행 다시 실행</translation>
    </message>
    <message>
        <source>Run all failed trials again</source>
        <translation>실패한 시행 모두 다시 실행</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>결과</translation>
    </message>
    <message>
        <source>%1, forecast</source>
        <translation>%1, 예측</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>실행</translation>
    </message>
</context>
<context>
    <name>slipway::gui::SweepsController</name>
    <message>
        <source>The sweep is starting.</source>
        <translation>스윕을 시작하는 중입니다.</translation>
    </message>
    <message>
        <source>The sweep did not start: %1</source>
        <translation>스윕이 시작되지 않았습니다: %1</translation>
    </message>
    <message>
        <source>Running trials stop after their current step.</source>
        <translation>실행 중인 시행이 현재 스텝 뒤에 멈춥니다.</translation>
    </message>
    <message>
        <source>Running trials finish; no trial is started.</source>
        <translation>실행 중인 시행은 끝까지 실행되고, 새 시행은 시작되지 않습니다.</translation>
    </message>
    <message>
        <source>The sweep continues.</source>
        <translation>스윕이 계속됩니다.</translation>
    </message>
    <message>
        <source>Failed trials will run again.</source>
        <translation>실패한 시행을 다시 실행합니다.</translation>
    </message>
</context>
<context>
    <name>slipway::gui::SweepsPage</name>
    <message>
        <source>All sweeps</source>
        <translation>모든 스윕</translation>
    </message>
    <message>
        <source>Report…</source>
        <translation>보고서…</translation>
    </message>
    <message>
        <source>Retry failed</source>
        <translation>실패 재시도</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>일시 중지</translation>
    </message>
    <message>
        <source>Stop…</source>
        <translation>중지…</translation>
    </message>
    <message>
        <source>Open file…</source>
        <translation>파일 열기…</translation>
    </message>
    <message>
        <source>Sweeps</source>
        <translation>스윕</translation>
    </message>
    <message numerus="yes">
        <source>%Ln sweep(s)</source>
        <translation>
            <numerusform>스윕 %Ln개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n running</source>
        <translation>
            <numerusform>%n개 실행 중</numerusform>
        </translation>
    </message>
    <message>
        <source>trial %1 of %2</source>
        <translation>시행 %2개 중 %1번째</translation>
    </message>
    <message numerus="yes">
        <source>%n at a time</source>
        <translation>
            <numerusform>동시에 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>about %1 left</source>
        <translation>약 %1 남음</translation>
    </message>
    <message>
        <source>on %1</source>
        <translation>호스트 %1</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>계속</translation>
    </message>
    <message>
        <source>Running trials finish; no trial is started.</source>
        <translation>실행 중인 시행은 끝까지 실행되고, 새 시행은 시작되지 않습니다.</translation>
    </message>
    <message>
        <source>Runs the trials that are missing.</source>
        <translation>남은 시행을 실행합니다.</translation>
    </message>
    <message>
        <source>Runs failed and lost trials again, each from its newest checkpoint.</source>
        <translation>실패하거나 연락이 끊긴 시행을 각각 최신 체크포인트에서 다시 실행합니다.</translation>
    </message>
    <message>
        <source>Trials out of memory would run out of it again.</source>
        <translation>메모리가 부족했던 시행은 다시 실행해도 메모리가 부족합니다.</translation>
    </message>
    <message>
        <source>This sweep cannot be shown.</source>
        <translation>이 스윕을 표시할 수 없습니다.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
    <message>
        <source>Reading the sweep…</source>
        <translation>스윕을 읽는 중…</translation>
    </message>
    <message>
        <source>The list of sweeps cannot be read.</source>
        <translation>스윕 목록을 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>Rebuild from run folders</source>
        <translation>실행 폴더에서 다시 만들기</translation>
    </message>
    <message>
        <source>No sweeps yet</source>
        <translation>아직 스윕이 없습니다</translation>
    </message>
    <message>
        <source>A sweep tries layouts or settings and keeps what did not fit. It runs as a separate program and continues after the window is closed.</source>
        <translation>스윕은 여러 병렬 구성이나 설정을 시도하고, 메모리에 맞지 않은 것도 기록합니다. 별도의 프로그램으로 실행되므로 창을 닫아도 계속됩니다.</translation>
    </message>
    <message>
        <source>Sweeps (*.json)</source>
        <translation>스윕 (*.json)</translation>
    </message>
    <message>
        <source>Stop the sweep</source>
        <translation>스윕 중지</translation>
    </message>
    <message numerus="yes">
        <source>%n running trial(s) end after their current step. Finished work stays, and Resume continues from there.</source>
        <translation>
            <numerusform>실행 중인 시행 %n개가 현재 스텝 뒤에 끝납니다. 완료된 결과는 남고, 계속을 누르면 이어서 실행됩니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1 저장됨</translation>
    </message>
    <message>
        <source>Save the trials (.tsv) or the heat map (.png)</source>
        <translation>시행(.tsv) 또는 히트맵(.png) 저장</translation>
    </message>
    <message>
        <source>The picture could not be written.</source>
        <translation>그림을 저장할 수 없습니다.</translation>
    </message>
    <message>
        <source>Clone…</source>
        <translation>복제…</translation>
    </message>
    <message>
        <source>New sweep</source>
        <translation>새 스윕</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>시작</translation>
    </message>
    <message>
        <source>Nothing runs before Start.</source>
        <translation>시작을 누르기 전에는 아무것도 실행되지 않습니다.</translation>
    </message>
    <message>
        <source>Open a sweep file</source>
        <translation>스윕 파일 열기</translation>
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
        <source>One step takes %1; %2 of it is compute.</source>
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
    <name>slipway::gui::ToolsPage</name>
    <message>
        <source>Export…</source>
        <translation>내보내기…</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>도구</translation>
    </message>
    <message>
        <source>Laws</source>
        <translation>법칙</translation>
    </message>
    <message>
        <source>Save the table</source>
        <translation>표 저장</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1 저장됨</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>비용</translation>
    </message>
    <message>
        <source>TPU</source>
        <translation>TPU</translation>
    </message>
    <message>
        <source>Lint</source>
        <translation>검사</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>장치</translation>
    </message>
</context>
<context>
    <name>slipway::gui::TpuView</name>
    <message>
        <source>Pod</source>
        <translation>팟</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>작업</translation>
    </message>
    <message>
        <source>Degrees</source>
        <translation>차수</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>메모리</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>Both editions</source>
        <translation>두 판 비교</translation>
    </message>
    <message>
        <source>the scaling book&apos;s limit of FSDP with tensor parallelism, as first printed and as later ones have it</source>
        <translation>스케일링 북의 FSDP와 텐서 병렬 한계, 초판과 이후 판</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>수치</translation>
    </message>
    <message>
        <source>FSDP</source>
        <translation>FSDP</translation>
    </message>
    <message numerus="yes">
        <source>%n pod(s), tp %1</source>
        <translation>
            <numerusform>팟 %n개, tp %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Tokens per chip</source>
        <translation>칩당 토큰</translation>
    </message>
    <message>
        <source>%1 idle chips</source>
        <translation>노는 칩 %1개</translation>
    </message>
    <message>
        <source>Limit of FSDP alone</source>
        <translation>FSDP만의 한계</translation>
    </message>
    <message>
        <source>Limit of FSDP with TP</source>
        <translation>FSDP와 TP의 한계</translation>
    </message>
    <message>
        <source>tokens per chip</source>
        <translation>칩당 토큰</translation>
    </message>
    <message>
        <source>Ceiling of the peak</source>
        <translation>최고 성능의 한도</translation>
    </message>
    <message>
        <source>communication / compute %1</source>
        <translation>통신 / 계산 %1</translation>
    </message>
    <message>
        <source>Chips to hold the model</source>
        <translation>모델을 담을 칩</translation>
    </message>
    <message>
        <source>Which layout keeps a TPU pod busy?</source>
        <translation>어떤 구성이 TPU 팟을 놀리지 않을까?</translation>
    </message>
</context>
<context>
    <name>slipway::gui::TrialPlot</name>
    <message>
        <source>%1 by %2</source>
        <translation>%2별 %1</translation>
    </message>
    <message>
        <source>did not run</source>
        <translation>실행되지 않음</translation>
    </message>
    <message>
        <source>No trial has this figure yet.</source>
        <translation>아직 이 지표가 있는 시행이 없습니다.</translation>
    </message>
    <message>
        <source>%1 against %2: %3 trials.</source>
        <translation>%2 대비 %1: 시행 %3개.</translation>
    </message>
    <message>
        <source>%1 by %2: %3 trials, %4 did not run; best %5, %6.</source>
        <translation>%2별 %1: 시행 %3개, %4개는 실행되지 않음, 최고 %5, %6.</translation>
    </message>
    <message>
        <source>Trial</source>
        <translation>시행</translation>
    </message>
</context>
<context>
    <name>slipway::gui::WaterfallView</name>
    <message>
        <source>Where did the MFU go?</source>
        <translation>MFU는 어디로 갔나?</translation>
    </message>
    <message>
        <source>%1: %2 %, %3</source>
        <translation>%1: %2 %, %3</translation>
    </message>
    <message>
        <source>, forecast %1 %, %2</source>
        <translation>, 예측 %1 %, %2</translation>
    </message>
    <message>
        <source>Measured, %</source>
        <translation>측정, %</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>시간</translation>
    </message>
    <message>
        <source>Forecast, %</source>
        <translation>예측, %</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>차이</translation>
    </message>
    <message>
        <source>Part of the step</source>
        <translation>스텝의 항목</translation>
    </message>
</context>
<context>
    <name>slipway::gui::WhatIfView</name>
    <message>
        <source>Baseline</source>
        <translation>기준</translation>
    </message>
    <message>
        <source>Set the current plan as baseline</source>
        <translation>지금 계획을 기준으로</translation>
    </message>
    <message>
        <source>Swap</source>
        <translation>맞바꾸기</translation>
    </message>
    <message>
        <source>Swaps plan and baseline; Ctrl+Z undoes it.</source>
        <translation>계획과 기준이 자리를 바꿉니다. Ctrl+Z로 계획을 되돌립니다.</translation>
    </message>
    <message>
        <source>Clear</source>
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
        <source>Changes</source>
        <translation>바뀐 것</translation>
    </message>
    <message>
        <source>Memory of the worst rank</source>
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
        <source>Set the current plan as baseline, then change it: every figure is shown beside its baseline. Or choose a run above as baseline.</source>
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
    <message>
        <source>%1; tick: measured %2</source>
        <translation>%1, 눈금은 측정값 %2</translation>
    </message>
</context>
<context>
    <name>slipway::gui::WhereForm</name>
    <message numerus="yes">
        <source>This computer, %n rank(s)</source>
        <translation>
            <numerusform>이 컴퓨터, 랭크 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>이 컴퓨터</translation>
    </message>
    <message>
        <source>Nodes over ssh, in the order of the ranks</source>
        <translation>ssh로 연결하는 노드(랭크 순서대로)</translation>
    </message>
    <message>
        <source>Nodes over ssh</source>
        <translation>ssh로 연결하는 노드</translation>
    </message>
    <message>
        <source>Choose at least one node.</source>
        <translation>노드를 하나 이상 고르세요.</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>랭크 %1</translation>
    </message>
    <message>
        <source>ranks %1 – %2</source>
        <translation>랭크 %1 – %2</translation>
    </message>
    <message>
        <source>Small trials share the nodes; one with more ranks than a node has slots takes whole nodes. A trial whose node is out of reach continues on another.</source>
        <translation>작은 시행은 노드를 나누어 쓰고, 랭크가 노드의 슬롯보다 많은 시행은 노드 전체를 씁니다. 노드에 연결할 수 없는 시행은 다른 노드에서 계속합니다.</translation>
    </message>
    <message>
        <source>Ranks fill the nodes from top to bottom; a tensor-parallel group stays on one node.</source>
        <translation>랭크는 위에서부터 노드를 채웁니다. 텐서 병렬 그룹은 한 노드에 둡니다.</translation>
    </message>
    <message>
        <source>The config and the token file are copied; metrics, logs and the newest checkpoint come back as they grow.</source>
        <translation>설정과 토큰 파일을 복사하고, 지표와 로그, 최신 체크포인트는 생기는 대로 가져옵니다.</translation>
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
        <source>Axes that differ from the plan; config is the plan itself.</source>
        <translation>계획과 다른 축을 쓰세요. config는 계획 자체입니다.</translation>
    </message>
    <message>
        <source>Explain</source>
        <translation>설명</translation>
    </message>
</context>
</TS>
