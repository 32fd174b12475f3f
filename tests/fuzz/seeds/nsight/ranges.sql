CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'fusion_3'), (2, 'ampere_sgemm'),
  (3, 'Thunk:#name=jit(f)/layer/exp,hlo_op=exp.2#'),
  (4, 'exp_2');
CREATE TABLE NVTX_EVENTS (start INT, "end" INT, text TEXT, textId INT, globalTid INT);
INSERT INTO NVTX_EVENTS VALUES (100, 900, 'XlaModule:#prefix=jit(f),hlo_module=jit_f,program_id=7#', NULL,
  16777217),
  (200, 400, NULL, 3, 16777217), (0, 5000, 'other thread', NULL, 16777300);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, "end" INT, globalTid INT, correlationId INT);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (300, 310, 16777217, 11), (450, 460, 16777217, 12);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, "end" INT, deviceId INT, streamId INT, correlationId INT,
  globalPid INT, shortName INT, demangledName INT);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 1500, 0, 7, 11, 16777216, 4, 4),
  (2000, 2300, 0, 7, 99, 16777216, 1, 1), (3000, 3050, 0, 7, 98, 16777216, 2, 2);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, "end" INT, deviceId INT, streamId INT, correlationId INT,
  globalPid INT);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (4000, 4020, 0, 8, 97, 16777216);
