-- What one with schema 2 stored of a prediction of that run.
INSERT INTO trial VALUES
    (2,1,'predicted','predicted','','/home/user/run/traces.otf2',NULL,'2026-11-22T02:11:10Z',2,1,2,30,1,1,0,0,5531000,'Late Sender: 2.000 ms, 28.5 % of the judged time; main/solve/MPI_Recv, rank 1 waiting for rank 0; held up by solve','Judged is the part between MPI_Init and MPI_Finalize, 63.5 % of the run (36.2 % came before it, 0.3 % after). Of the ranks'' time 57.0 % went into computing, 42.7 % into waiting for other ranks inside MPI and 0.3 % into the rest of MPI. The biggest loss is Late Sender: 2.000 ms, 28.5 % of the ranks'' time, in main/solve/MPI_Recv, rank 1 waiting for rank 0. What made the others wait is above all the time in solve (solve.c:56) on rank 0. The work is uneven: rank 0 computes for 2.503 ms, the mean is 2.002 ms; in solve alone rank 0 spends 2.500 ms against a mean of 1.999 ms.');
INSERT INTO trial_attribute VALUES (2,'parameter','cpu-speed','2'), (2,'version','pagoda','0.1.0'),
    (2,'version','trace creator','pagoda test writer');
INSERT INTO time_interval VALUES (2,0,'run',0,5531000), (2,1,'window',1999500,5513500);
INSERT INTO trial_resource VALUES (2,6), (2,7), (2,8), (2,9), (2,10), (2,11), (2,12), (2,13), (2,14),
    (2,15), (2,16), (2,17), (2,18), (2,19), (2,20), (2,21), (2,22), (2,23), (2,24), (2,25), (2,26), (2,27),
    (2,28);
INSERT INTO trial_rank VALUES (2,24,23,'MPI Rank 0',0,5531000,0), (2,25,23,'MPI Rank 1',0,5528500,0);
INSERT INTO tuple VALUES (2,1,0,0,5531000), (2,10,3,0,11059500), (2,10,4,0,6002750), (2,10,5,0,2004250),
    (2,10,6,0,500), (2,10,7,0,3997500), (2,10,8,0,1019500), (2,10,9,0,22500);
INSERT INTO prediction VALUES (2,1,'--cpu-speed 2',0.0);
