-- What a Pagoda with schema 1 stored of a run.
INSERT INTO application VALUES (1,'ring');
INSERT INTO experiment VALUES (1,1,'old');
INSERT INTO trial VALUES
    (1,1,'measured','measured','','/home/user/run/traces.otf2',NULL,'2026-11-22T02:11:10Z',2,1,2,30,1,1,0,0,9040000,'Late Sender: 4.000 ms, 28.5 % of the judged time; main/solve/MPI_Recv, rank 1 waiting for rank 0; held up by solve','Judged is the part between MPI_Init and MPI_Finalize, 77.6 % of the run (22.1 % came before it, 0.3 % after). Of the ranks'' time 57.1 % went into computing, 42.8 % into waiting for other ranks inside MPI and 0.2 % into the rest of MPI. The biggest loss is Late Sender: 4.000 ms, 28.5 % of the ranks'' time, in main/solve/MPI_Recv, rank 1 waiting for rank 0. What made the others wait is above all the time in solve (solve.c:56) on rank 0. The work is uneven: rank 0 computes for 5.006 ms, the mean is 4.004 ms; in solve alone rank 0 spends 5.000 ms against a mean of 3.998 ms.');
INSERT INTO trial_attribute VALUES (1,'parameter','size','64'), (1,'version','pagoda','0.1.0'),
    (1,'version','trace creator','pagoda test writer');
INSERT INTO trial_hint VALUES
    (1,0,'late-sender','Rank 1 waited 4.000 ms in main/solve/MPI_Recv (solve.c:56) for a message that rank 0 had not sent yet; all Late Sender waits add up to 4.000 ms, 22.1 % of the run. Send earlier on the slow side, or do other work before completing the receive.','solve.c:56'),
    (1,1,'wait-at-nxn','Rank 0 waited 1.999 ms in main/MPI_Allreduce (main.c:10) until rank 1 came; 1.999 ms in all, 11.1 % of the run. Balance the work before this operation, or use its nonblocking form.','main.c:10');
INSERT INTO time_interval VALUES (1,0,'run',0,9040000), (1,1,'window',2000000,9015000);
INSERT INTO metric VALUES (1,'time_ns','ns','run time, first to last event','nothing'),
    (2,'parallel_efficiency','share','useful time of all ranks in theirs','nothing'),
    (3,'load_balance','share','mean over greatest useful time of the ranks','nothing'),
    (4,'communication_efficiency','share','greatest useful time in the run time','nothing'),
    (5,'serialization_efficiency','share','communication efficiency with an ideal network','nothing'),
    (6,'transfer_efficiency','share','run time with an ideal network in the run time','nothing'),
    (7,'useful_ns','ns','time outside MPI between Init and Finalize','everything'),
    (8,'mpi_ns','ns','time inside MPI between Init and Finalize','everything'),
    (9,'wait_ns','ns','time waited between Init and Finalize, all wait states','everything'),
    (10,'region_inclusive_ns','ns','time in the region and below, recursive calls counted once','nothing'),
    (11,'visits','calls','how often the call path was entered','everything'),
    (12,'inclusive_ns','ns','time in the call path and below','processes'),
    (13,'exclusive_ns','ns','time in the call path, not below','everything'),
    (14,'critical_path_ns','ns','time on the critical path','everything'),
    (15,'messages','messages','messages from one rank to another','everything'),
    (16,'message_bytes','bytes','bytes from one rank to another','everything'),
    (17,'wait-at-nxn.count','instances','A rank waits in an all-to-all operation for the last one to come.','everything'),
    (18,'wait-at-nxn.wait_ns','ns','A rank waits in an all-to-all operation for the last one to come.','everything'),
    (19,'wait-at-nxn.caused_ns','ns','A rank waits in an all-to-all operation for the last one to come.','everything'),
    (20,'late-sender.count','instances','A rank waits in a receive for a message that has not been sent yet.','everything'),
    (21,'late-sender.wait_ns','ns','A rank waits in a receive for a message that has not been sent yet.','everything'),
    (22,'late-sender.caused_ns','ns','A rank waits in a receive for a message that has not been sent yet.','everything'),
    (23,'wait-at-finalize.count','instances','A rank waits in MPI_Finalize for the last one to come.','everything'),
    (24,'wait-at-finalize.wait_ns','ns','A rank waits in MPI_Finalize for the last one to come.','everything'),
    (25,'wait-at-finalize.caused_ns','ns','A rank waits in MPI_Finalize for the last one to come.','everything');
INSERT INTO property VALUES
    (1,'early-reduce','collective-communication','Early Reduce','The root of a reduction or gather waits for the first of the others to come.','The root is early: it has less work than the others, or the others are held up. Give it more work, or let it do something else first.'),
    (2,'early-scan','collective-communication','Early Scan','A rank waits in a prefix operation for a rank below it to come.','A rank of lower number comes late and holds up all above it. Balance the work before the operation, or put the slow ranks at the end.'),
    (3,'late-broadcast','collective-communication','Late Broadcast','A rank waits in a broadcast or scatter for the root to come.','The root comes later than the others. Move work away from the root, let it send the data earlier, or use the nonblocking form.'),
    (4,'nxn-completion','collective-communication','N x N Completion','A rank is still in an all-to-all operation after the first one has left it.','A part of the operation''s own cost. If it is large, look at the message sizes, the placement of the ranks and the algorithm that the MPI library chooses.'),
    (5,'wait-at-nxn','collective-communication','Wait at N x N','A rank waits in an all-to-all operation for the last one to come.','The work before the operation is not balanced. Balance it; use the nonblocking form and work in between; or do the operation less often.'),
    (6,'late-receiver','point-to-point','Late Receiver','A rank is held in a send until the receiver posts its receive.','The receiver comes to its receive late. Post the receive earlier (MPI_Irecv before the work), send with MPI_Isend and complete it later, or raise the eager limit of the MPI library if the messages are small enough. A standard send of a small message may be held up by something else: then the confidence is low.'),
    (7,'late-sender','point-to-point','Late Sender','A rank waits in a receive for a message that has not been sent yet.','The sender does its work before the send later than the receiver does its own: the load is not balanced, or the sender itself was held up by others (follow the critical path to the cause). If the work behind the receive does not need the message, post the receive early (MPI_Irecv) and wait for it later; if the work before the send is not needed by the message, send first.'),
    (8,'late-sender-wrong-order','late-sender','Late Sender, messages in wrong order','A rank waits for one message while another one, already sent, is left for later.','Messages are sent in another order than they are received. Receive from any source (MPI_ANY_SOURCE), post all receives and complete them with MPI_Waitany or MPI_Waitall, or send in the order of the receives.'),
    (9,'late-sender-wrong-order-different-source','late-sender-wrong-order','Late Sender, wrong order, different sources','The message left for later came from another rank than the one waited for.','A fixed order of partners makes the receiver wait for the slow one first. Receive from any source, or post all receives and complete them as they come.'),
    (10,'late-sender-wrong-order-same-source','late-sender-wrong-order','Late Sender, wrong order, same source','The message left for later came from the rank that was waited for.','Two ranks disagree on the order of the messages between them. Make the order of sends and receives the same on both sides.'),
    (11,'wait-at-finalize','management','Wait at Finalize','A rank waits in MPI_Finalize for the last one to come.','The work at the end of the run is not balanced, often because one rank alone writes the results. Share that work.'),
    (12,'barrier-completion','synchronisation','Barrier Completion','A rank is still in a barrier after the first one has left it.','Long completion times come from the barrier''s algorithm and network, from more ranks than cores, or from noise on the node. Few, large ones on one node point to noise.'),
    (13,'wait-at-barrier','synchronisation','Wait at Barrier','A rank waits in a barrier for the last one to come.','The work before the barrier is not balanced. Balance it, or see whether the barrier is needed at all: most barriers only order what messages order already.');
INSERT INTO resource VALUES (6,1,'main.c','/Code/main.c'), (7,6,'main','/Code/main.c/main'),
    (8,1,'solve.c','/Code/solve.c'), (9,8,'solve','/Code/solve.c/solve'), (10,1,'MPI','/Code/MPI'),
    (11,10,'MPI_Recv','/Code/MPI/MPI_Recv'), (12,10,'MPI_Send','/Code/MPI/MPI_Send'),
    (13,10,'MPI_Init','/Code/MPI/MPI_Init'), (14,10,'MPI_Allreduce','/Code/MPI/MPI_Allreduce'),
    (15,10,'MPI_Finalize','/Code/MPI/MPI_Finalize'), (16,2,'main','/CallPath/main'),
    (17,16,'solve','/CallPath/main/solve'), (18,17,'MPI_Recv','/CallPath/main/solve/MPI_Recv'),
    (19,17,'MPI_Send','/CallPath/main/solve/MPI_Send'), (20,16,'MPI_Init','/CallPath/main/MPI_Init'),
    (21,16,'MPI_Allreduce','/CallPath/main/MPI_Allreduce'),
    (22,16,'MPI_Finalize','/CallPath/main/MPI_Finalize'), (23,3,'node0','/Machine/node0'),
    (24,4,'0','/Process/0'), (25,4,'1','/Process/1'), (26,5,'pair','/Message/pair'),
    (27,26,'0','/Message/pair/0'), (28,27,'1','/Message/pair/0/1');
INSERT INTO focus VALUES (1,2,24,1,3,5,0), (2,2,25,1,3,5,0), (3,2,4,7,3,5,0), (4,2,4,9,3,5,0),
    (5,2,4,11,3,5,0), (6,2,4,12,3,5,0), (7,2,4,13,3,5,0), (8,2,4,14,3,5,0), (9,2,4,15,3,5,0),
    (10,16,24,7,3,5,0), (11,16,25,7,3,5,0), (12,17,24,9,3,5,0), (13,17,25,9,3,5,0), (14,18,25,11,3,5,0),
    (15,19,24,12,3,5,0), (16,20,24,13,3,5,0), (17,20,25,13,3,5,0), (18,21,24,14,3,5,0), (19,21,25,14,3,5,0),
    (20,22,24,15,3,5,0), (21,22,25,15,3,5,0), (22,2,24,9,3,5,0), (23,2,24,13,3,5,0), (24,2,25,9,3,5,0),
    (25,2,24,7,3,5,0), (26,2,24,15,3,5,0), (27,2,24,14,3,5,0), (28,2,25,11,3,5,0), (29,2,25,7,3,5,0),
    (30,2,4,1,3,28,0), (31,21,4,14,3,5,0), (32,18,4,11,3,5,0), (33,22,4,15,3,5,0);
INSERT INTO trial_resource VALUES (1,6), (1,7), (1,8), (1,9), (1,10), (1,11), (1,12), (1,13), (1,14),
    (1,15), (1,16), (1,17), (1,18), (1,19), (1,20), (1,21), (1,22), (1,23), (1,24), (1,25), (1,26), (1,27),
    (1,28);
INSERT INTO trial_rank VALUES (1,24,23,'MPI Rank 0',0,9040000,0), (1,25,23,'MPI Rank 1',0,9035000,0);
INSERT INTO tuple VALUES (1,1,0,0,9040000), (1,2,0,1,0.57077690662865288029),
    (1,3,0,1,0.79984019176987619648), (1,4,0,1,0.71361368496079824463), (1,7,1,1,5006000),
    (1,7,2,1,3002000), (1,8,1,1,2009000), (1,8,2,1,4013000), (1,9,1,1,1999000), (1,9,2,1,4000000),
    (1,10,3,0,18075000), (1,10,4,0,12001000), (1,10,5,0,4004000), (1,10,6,0,1000), (1,10,7,0,3997500),
    (1,10,8,0,2017000), (1,10,9,0,25000), (1,11,10,0,1), (1,11,11,0,1), (1,11,12,0,1), (1,11,13,0,1),
    (1,11,14,0,1), (1,11,15,0,1), (1,11,16,0,1), (1,11,17,0,1), (1,11,18,0,1), (1,11,19,0,1), (1,11,20,0,1),
    (1,11,21,0,1), (1,12,10,0,9040000), (1,12,11,0,9035000), (1,12,12,0,5001000), (1,12,13,0,7000000),
    (1,12,14,0,4004000), (1,12,15,0,1000), (1,12,16,0,1999000), (1,12,17,0,1998500), (1,12,18,0,2008000),
    (1,12,19,0,9000), (1,12,20,0,10000), (1,12,21,0,15000), (1,13,10,0,22000), (1,13,11,0,12500),
    (1,13,12,0,5000000), (1,13,13,0,2996000), (1,13,14,0,4004000), (1,13,15,0,1000), (1,13,16,0,1999000),
    (1,13,17,0,1998500), (1,13,18,0,2008000), (1,13,19,0,9000), (1,13,20,0,10000), (1,13,21,0,15000),
    (1,14,22,0,5000000), (1,14,23,0,1999000), (1,14,24,0,1996000), (1,14,25,0,21000), (1,14,26,0,10000),
    (1,14,27,0,9000), (1,14,28,0,4000), (1,14,29,0,1000), (1,15,30,0,1), (1,16,30,0,1024), (1,17,18,0,1),
    (1,18,18,0,1999000), (1,19,2,0,1999000), (1,20,14,0,1), (1,21,14,0,4000000), (1,22,1,0,4000000),
    (1,23,21,0,1), (1,24,21,0,5000), (1,25,1,0,5000);
INSERT INTO property_instance VALUES (1,5,0,0,0.11056415929203540493,1.0,1,1999000),
    (1,5,1,0,0.11056415929203540493,1.0,1,1999000), (1,5,31,0,0.11056415929203540493,1.0,1,1999000),
    (1,7,0,0,0.22123893805309735594,1.0,1,4000000), (1,7,2,0,0.22123893805309735594,1.0,1,4000000),
    (1,7,32,0,0.22123893805309735594,1.0,1,4000000), (1,11,0,0,0.00027654867256637167757,1.0,1,5000),
    (1,11,2,0,0.00027654867256637167757,1.0,1,5000), (1,11,33,0,0.00027654867256637167757,1.0,1,5000);
INSERT INTO trial_property VALUES (1,1,1,1,NULL,NULL,NULL,NULL), (1,2,1,1,NULL,NULL,NULL,NULL),
    (1,3,1,1,NULL,NULL,NULL,NULL), (1,4,1,1,NULL,NULL,NULL,NULL), (1,5,1,1,18,25,7002000,1999000),
    (1,6,1,1,NULL,NULL,NULL,NULL), (1,7,1,1,14,24,3000000,4000000), (1,8,1,0,NULL,NULL,NULL,NULL),
    (1,9,1,0,NULL,NULL,NULL,NULL), (1,10,1,0,NULL,NULL,NULL,NULL), (1,11,1,1,21,24,9015000,5000),
    (1,12,1,1,NULL,NULL,NULL,NULL), (1,13,1,1,NULL,NULL,NULL,NULL);
