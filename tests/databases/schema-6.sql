-- A database of schema 6 with stored trials, as released; made by sqlite3's .dump.
PRAGMA application_id=1346847809;
PRAGMA user_version=6;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE application (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
INSERT INTO application VALUES(1,'ring');
CREATE TABLE experiment (
    id INTEGER PRIMARY KEY,
    application_id INTEGER NOT NULL REFERENCES application ON DELETE CASCADE,
    name TEXT NOT NULL,
    UNIQUE (application_id, name)
);
INSERT INTO experiment VALUES(1,1,'old');
CREATE TABLE trial (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again, even after a removal
    experiment_id INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,
    name TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('measured', 'predicted', 'threshold', 'interval')),
    program TEXT,
    trace_path TEXT,
    started_at TEXT, -- UTC, ISO 8601; NULL when the archive does not say
    stored_at TEXT NOT NULL,
    n_ranks INTEGER NOT NULL,
    n_nodes INTEGER NOT NULL,
    n_locations INTEGER NOT NULL,
    n_events INTEGER NOT NULL,
    n_messages INTEGER NOT NULL,
    n_collectives INTEGER NOT NULL,
    n_clock_violations INTEGER NOT NULL,
    has_unreadable_records INTEGER NOT NULL,
    time_ns INTEGER NOT NULL,
    headline TEXT, -- the biggest loss in a few words
    conclusion TEXT, -- the same as a paragraph
    UNIQUE (experiment_id, name)
);
INSERT INTO trial VALUES(1,1,'measured','measured','','/home/user/run/traces.otf2',NULL,'2026-11-22T03:21:07Z',2,1,2,30,1,1,0,0,9040000,'Late Sender: 4.000 ms, 28.5 % of the judged time; main/solve/MPI_Recv, rank 1 waiting for rank 0; held up by solve','Judged is the part between MPI_Init and MPI_Finalize, 77.6 % of the run (22.1 % came before it, 0.3 % after). Of the ranks'' time 57.1 % went into computing, 42.8 % into waiting for other ranks inside MPI and 0.2 % into the rest of MPI. The biggest loss is Late Sender: 4.000 ms, 28.5 % of the ranks'' time, in main/solve/MPI_Recv, rank 1 waiting for rank 0. What made the others wait is above all the time in solve (solve.c:56) on rank 0. The work is uneven: rank 0 computes for 5.006 ms, the mean is 4.004 ms; in solve alone rank 0 spends 5.000 ms against a mean of 3.998 ms.');
INSERT INTO trial VALUES(2,1,'predicted','predicted','','/home/user/run/traces.otf2',NULL,'2026-11-22T03:21:07Z',2,1,2,30,1,1,0,0,5531000,'Late Sender: 2.000 ms, 28.5 % of the judged time; main/solve/MPI_Recv, rank 1 waiting for rank 0; held up by solve','Judged is the part between MPI_Init and MPI_Finalize, 63.5 % of the run (36.2 % came before it, 0.3 % after). Of the ranks'' time 57.0 % went into computing, 42.7 % into waiting for other ranks inside MPI and 0.3 % into the rest of MPI. The biggest loss is Late Sender: 2.000 ms, 28.5 % of the ranks'' time, in main/solve/MPI_Recv, rank 1 waiting for rank 0. What made the others wait is above all the time in solve (solve.c:56) on rank 0. The work is uneven: rank 0 computes for 2.503 ms, the mean is 2.002 ms; in solve alone rank 0 spends 2.500 ms against a mean of 1.999 ms.');
CREATE TABLE trial_attribute (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('version', 'parameter', 'environment')),
    name TEXT NOT NULL,
    value TEXT NOT NULL, role TEXT,
    PRIMARY KEY (trial_id, kind, name)
) WITHOUT ROWID;
INSERT INTO trial_attribute VALUES(1,'parameter','size','64',NULL);
INSERT INTO trial_attribute VALUES(1,'version','pagoda','0.1.0',NULL);
INSERT INTO trial_attribute VALUES(1,'version','trace creator','pagoda test writer',NULL);
INSERT INTO trial_attribute VALUES(2,'parameter','cpu-speed','2',NULL);
INSERT INTO trial_attribute VALUES(2,'version','pagoda','0.1.0',NULL);
INSERT INTO trial_attribute VALUES(2,'version','trace creator','pagoda test writer',NULL);
CREATE TABLE trial_warning (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    number INTEGER NOT NULL,
    code TEXT NOT NULL,
    count INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (trial_id, number)
) WITHOUT ROWID;
CREATE TABLE trial_hint (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    number INTEGER NOT NULL,
    property TEXT NOT NULL,
    text TEXT NOT NULL,
    source TEXT NOT NULL,
    PRIMARY KEY (trial_id, number)
) WITHOUT ROWID;
INSERT INTO trial_hint VALUES(1,0,'late-sender','Rank 1 waited 4.000 ms in main/solve/MPI_Recv (solve.c:56) for a message that rank 0 had not sent yet; all Late Sender waits add up to 4.000 ms, 22.1 % of the run. Send earlier on the slow side, or do other work before completing the receive.','solve.c:56');
INSERT INTO trial_hint VALUES(1,1,'wait-at-nxn','Rank 0 waited 1.999 ms in main/MPI_Allreduce (main.c:10) until rank 1 came; 1.999 ms in all, 11.1 % of the run. Balance the work before this operation, or use its nonblocking form.','main.c:10');
INSERT INTO trial_hint VALUES(2,0,'late-sender','Rank 1 waited 2.000 ms in main/solve/MPI_Recv (solve.c:56) for a message that rank 0 had not sent yet; all Late Sender waits add up to 2.000 ms, 18.1 % of the run. Send earlier on the slow side, or do other work before completing the receive.','solve.c:56');
INSERT INTO trial_hint VALUES(2,1,'wait-at-nxn','Rank 0 waited 1.002 ms in main/MPI_Allreduce (main.c:10) until rank 1 came; 1.002 ms in all, 9.1 % of the run. Balance the work before this operation, or use its nonblocking form.','main.c:10');
CREATE TABLE time_interval (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    number INTEGER NOT NULL, -- 0 the whole run, 1 between MPI_Init and MPI_Finalize
    name TEXT NOT NULL,
    begin_ns INTEGER NOT NULL,
    end_ns INTEGER NOT NULL,
    PRIMARY KEY (trial_id, number)
) WITHOUT ROWID;
INSERT INTO time_interval VALUES(1,0,'run',0,9040000);
INSERT INTO time_interval VALUES(1,1,'window',2000000,9015000);
INSERT INTO time_interval VALUES(2,0,'run',0,5531000);
INSERT INTO time_interval VALUES(2,1,'window',1999500,5513500);
CREATE TABLE resource (
    id INTEGER PRIMARY KEY,
    parent_id INTEGER REFERENCES resource,
    name TEXT NOT NULL,
    path TEXT NOT NULL UNIQUE -- in resource normal form: /Code/main.c/solve
);
INSERT INTO resource VALUES(0,NULL,'','/');
INSERT INTO resource VALUES(1,0,'Code','/Code');
INSERT INTO resource VALUES(2,0,'CallPath','/CallPath');
INSERT INTO resource VALUES(3,0,'Machine','/Machine');
INSERT INTO resource VALUES(4,0,'Process','/Process');
INSERT INTO resource VALUES(5,0,'Message','/Message');
INSERT INTO resource VALUES(6,1,'main.c','/Code/main.c');
INSERT INTO resource VALUES(7,6,'main','/Code/main.c/main');
INSERT INTO resource VALUES(8,1,'solve.c','/Code/solve.c');
INSERT INTO resource VALUES(9,8,'solve','/Code/solve.c/solve');
INSERT INTO resource VALUES(10,1,'MPI','/Code/MPI');
INSERT INTO resource VALUES(11,10,'MPI_Recv','/Code/MPI/MPI_Recv');
INSERT INTO resource VALUES(12,10,'MPI_Send','/Code/MPI/MPI_Send');
INSERT INTO resource VALUES(13,10,'MPI_Init','/Code/MPI/MPI_Init');
INSERT INTO resource VALUES(14,10,'MPI_Allreduce','/Code/MPI/MPI_Allreduce');
INSERT INTO resource VALUES(15,10,'MPI_Finalize','/Code/MPI/MPI_Finalize');
INSERT INTO resource VALUES(16,2,'main','/CallPath/main');
INSERT INTO resource VALUES(17,16,'solve','/CallPath/main/solve');
INSERT INTO resource VALUES(18,17,'MPI_Recv','/CallPath/main/solve/MPI_Recv');
INSERT INTO resource VALUES(19,17,'MPI_Send','/CallPath/main/solve/MPI_Send');
INSERT INTO resource VALUES(20,16,'MPI_Init','/CallPath/main/MPI_Init');
INSERT INTO resource VALUES(21,16,'MPI_Allreduce','/CallPath/main/MPI_Allreduce');
INSERT INTO resource VALUES(22,16,'MPI_Finalize','/CallPath/main/MPI_Finalize');
INSERT INTO resource VALUES(23,3,'node0','/Machine/node0');
INSERT INTO resource VALUES(24,4,'0','/Process/0');
INSERT INTO resource VALUES(25,4,'1','/Process/1');
INSERT INTO resource VALUES(26,5,'pair','/Message/pair');
INSERT INTO resource VALUES(27,26,'0','/Message/pair/0');
INSERT INTO resource VALUES(28,27,'1','/Message/pair/0/1');
CREATE TABLE trial_resource ( -- with all parents
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    resource_id INTEGER NOT NULL REFERENCES resource,
    PRIMARY KEY (trial_id, resource_id)
) WITHOUT ROWID;
INSERT INTO trial_resource VALUES(1,6);
INSERT INTO trial_resource VALUES(2,6);
INSERT INTO trial_resource VALUES(1,7);
INSERT INTO trial_resource VALUES(2,7);
INSERT INTO trial_resource VALUES(1,8);
INSERT INTO trial_resource VALUES(2,8);
INSERT INTO trial_resource VALUES(1,9);
INSERT INTO trial_resource VALUES(2,9);
INSERT INTO trial_resource VALUES(1,10);
INSERT INTO trial_resource VALUES(2,10);
INSERT INTO trial_resource VALUES(1,11);
INSERT INTO trial_resource VALUES(2,11);
INSERT INTO trial_resource VALUES(1,12);
INSERT INTO trial_resource VALUES(2,12);
INSERT INTO trial_resource VALUES(1,13);
INSERT INTO trial_resource VALUES(2,13);
INSERT INTO trial_resource VALUES(1,14);
INSERT INTO trial_resource VALUES(2,14);
INSERT INTO trial_resource VALUES(1,15);
INSERT INTO trial_resource VALUES(2,15);
INSERT INTO trial_resource VALUES(1,16);
INSERT INTO trial_resource VALUES(2,16);
INSERT INTO trial_resource VALUES(1,17);
INSERT INTO trial_resource VALUES(2,17);
INSERT INTO trial_resource VALUES(1,18);
INSERT INTO trial_resource VALUES(2,18);
INSERT INTO trial_resource VALUES(1,19);
INSERT INTO trial_resource VALUES(2,19);
INSERT INTO trial_resource VALUES(1,20);
INSERT INTO trial_resource VALUES(2,20);
INSERT INTO trial_resource VALUES(1,21);
INSERT INTO trial_resource VALUES(2,21);
INSERT INTO trial_resource VALUES(1,22);
INSERT INTO trial_resource VALUES(2,22);
INSERT INTO trial_resource VALUES(1,23);
INSERT INTO trial_resource VALUES(2,23);
INSERT INTO trial_resource VALUES(1,24);
INSERT INTO trial_resource VALUES(2,24);
INSERT INTO trial_resource VALUES(1,25);
INSERT INTO trial_resource VALUES(2,25);
INSERT INTO trial_resource VALUES(1,26);
INSERT INTO trial_resource VALUES(2,26);
INSERT INTO trial_resource VALUES(1,27);
INSERT INTO trial_resource VALUES(2,27);
INSERT INTO trial_resource VALUES(1,28);
INSERT INTO trial_resource VALUES(2,28);
CREATE TABLE trial_rank (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    process_id INTEGER NOT NULL REFERENCES resource,
    machine_id INTEGER NOT NULL REFERENCES resource, -- where it ran
    name TEXT NOT NULL,
    first_ns INTEGER NOT NULL,
    last_ns INTEGER NOT NULL,
    is_skipped INTEGER NOT NULL, -- its events could not be read, it has no values
    PRIMARY KEY (trial_id, process_id)
) WITHOUT ROWID;
INSERT INTO trial_rank VALUES(1,24,23,'MPI Rank 0',0,9040000,0);
INSERT INTO trial_rank VALUES(1,25,23,'MPI Rank 1',0,9035000,0);
INSERT INTO trial_rank VALUES(2,24,23,'MPI Rank 0',0,5531000,0);
INSERT INTO trial_rank VALUES(2,25,23,'MPI Rank 1',0,5528500,0);
CREATE TABLE focus ( -- one resource of each hierarchy; a root selects all of it
    id INTEGER PRIMARY KEY,
    call_path_id INTEGER NOT NULL REFERENCES resource,
    process_id INTEGER NOT NULL REFERENCES resource,
    code_id INTEGER NOT NULL REFERENCES resource,
    machine_id INTEGER NOT NULL REFERENCES resource,
    message_id INTEGER NOT NULL REFERENCES resource,
    other_id INTEGER NOT NULL REFERENCES resource, -- in a hierarchy of the user's
    UNIQUE (call_path_id, process_id, code_id, machine_id, message_id, other_id)
);
INSERT INTO focus VALUES(0,2,4,1,3,5,0);
INSERT INTO focus VALUES(1,2,24,1,3,5,0);
INSERT INTO focus VALUES(2,2,25,1,3,5,0);
INSERT INTO focus VALUES(3,2,4,7,3,5,0);
INSERT INTO focus VALUES(4,2,4,9,3,5,0);
INSERT INTO focus VALUES(5,2,4,11,3,5,0);
INSERT INTO focus VALUES(6,2,4,12,3,5,0);
INSERT INTO focus VALUES(7,2,4,13,3,5,0);
INSERT INTO focus VALUES(8,2,4,14,3,5,0);
INSERT INTO focus VALUES(9,2,4,15,3,5,0);
INSERT INTO focus VALUES(10,16,24,7,3,5,0);
INSERT INTO focus VALUES(11,16,25,7,3,5,0);
INSERT INTO focus VALUES(12,17,24,9,3,5,0);
INSERT INTO focus VALUES(13,17,25,9,3,5,0);
INSERT INTO focus VALUES(14,18,25,11,3,5,0);
INSERT INTO focus VALUES(15,19,24,12,3,5,0);
INSERT INTO focus VALUES(16,20,24,13,3,5,0);
INSERT INTO focus VALUES(17,20,25,13,3,5,0);
INSERT INTO focus VALUES(18,21,24,14,3,5,0);
INSERT INTO focus VALUES(19,21,25,14,3,5,0);
INSERT INTO focus VALUES(20,22,24,15,3,5,0);
INSERT INTO focus VALUES(21,22,25,15,3,5,0);
INSERT INTO focus VALUES(22,2,24,9,3,5,0);
INSERT INTO focus VALUES(23,2,24,13,3,5,0);
INSERT INTO focus VALUES(24,2,25,9,3,5,0);
INSERT INTO focus VALUES(25,2,24,7,3,5,0);
INSERT INTO focus VALUES(26,2,24,15,3,5,0);
INSERT INTO focus VALUES(27,2,24,14,3,5,0);
INSERT INTO focus VALUES(28,2,25,11,3,5,0);
INSERT INTO focus VALUES(29,2,25,7,3,5,0);
INSERT INTO focus VALUES(30,2,4,1,3,28,0);
INSERT INTO focus VALUES(31,21,4,14,3,5,0);
INSERT INTO focus VALUES(32,18,4,11,3,5,0);
INSERT INTO focus VALUES(33,22,4,15,3,5,0);
CREATE TABLE property (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE, -- late-sender
    parent TEXT, -- the name of a more general property
    title TEXT NOT NULL,
    summary TEXT NOT NULL,
    diagnosis TEXT NOT NULL
);
INSERT INTO property VALUES(1,'early-reduce','collective-communication','Early Reduce','The root of a reduction or gather waits for the first of the others to come.','The root is early: it has less work than the others, or the others are held up. Give it more work, or let it do something else first.');
INSERT INTO property VALUES(2,'early-scan','collective-communication','Early Scan','A rank waits in a prefix operation for a rank below it to come.','A rank of lower number comes late and holds up all above it. Balance the work before the operation, or put the slow ranks at the end.');
INSERT INTO property VALUES(3,'late-broadcast','collective-communication','Late Broadcast','A rank waits in a broadcast or scatter for the root to come.','The root comes later than the others. Move work away from the root, let it send the data earlier, or use the nonblocking form.');
INSERT INTO property VALUES(4,'nxn-completion','collective-communication','N x N Completion','A rank is still in an all-to-all operation after the first one has left it.','A part of the operation''s own cost. If it is large, look at the message sizes, the placement of the ranks and the algorithm that the MPI library chooses.');
INSERT INTO property VALUES(5,'wait-at-nxn','collective-communication','Wait at N x N','A rank waits in an all-to-all operation for the last one to come.','The work before the operation is not balanced. Balance it; use the nonblocking form and work in between; or do the operation less often.');
INSERT INTO property VALUES(6,'late-receiver','point-to-point','Late Receiver','A rank is held in a send until the receiver posts its receive.','The receiver comes to its receive late. Post the receive earlier (MPI_Irecv before the work), send with MPI_Isend and complete it later, or raise the eager limit of the MPI library if the messages are small enough. A standard send of a small message may be held up by something else: then the confidence is low.');
INSERT INTO property VALUES(7,'late-sender','point-to-point','Late Sender','A rank waits in a receive for a message that has not been sent yet.','The sender does its work before the send later than the receiver does its own: the load is not balanced, or the sender itself was held up by others (follow the critical path to the cause). If the work behind the receive does not need the message, post the receive early (MPI_Irecv) and wait for it later; if the work before the send is not needed by the message, send first.');
INSERT INTO property VALUES(8,'late-sender-wrong-order','late-sender','Late Sender, messages in wrong order','A rank waits for one message while another one, already sent, is left for later.','Messages are sent in another order than they are received. Receive from any source (MPI_ANY_SOURCE), post all receives and complete them with MPI_Waitany or MPI_Waitall, or send in the order of the receives.');
INSERT INTO property VALUES(9,'late-sender-wrong-order-different-source','late-sender-wrong-order','Late Sender, wrong order, different sources','The message left for later came from another rank than the one waited for.','A fixed order of partners makes the receiver wait for the slow one first. Receive from any source, or post all receives and complete them as they come.');
INSERT INTO property VALUES(10,'late-sender-wrong-order-same-source','late-sender-wrong-order','Late Sender, wrong order, same source','The message left for later came from the rank that was waited for.','Two ranks disagree on the order of the messages between them. Make the order of sends and receives the same on both sides.');
INSERT INTO property VALUES(11,'wait-at-finalize','management','Wait at Finalize','A rank waits in MPI_Finalize for the last one to come.','The work at the end of the run is not balanced, often because one rank alone writes the results. Share that work.');
INSERT INTO property VALUES(12,'barrier-completion','synchronisation','Barrier Completion','A rank is still in a barrier after the first one has left it.','Long completion times come from the barrier''s algorithm and network, from more ranks than cores, or from noise on the node. Few, large ones on one node point to noise.');
INSERT INTO property VALUES(13,'wait-at-barrier','synchronisation','Wait at Barrier','A rank waits in a barrier for the last one to come.','The work before the barrier is not balanced. Balance it, or see whether the barrier is needed at all: most barriers only order what messages order already.');
CREATE TABLE metric (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    unit TEXT NOT NULL,
    description TEXT NOT NULL,
    adds_up_over TEXT NOT NULL -- values of different foci may be added:
        CHECK (adds_up_over IN ('everything', 'processes', 'nothing'))
);
INSERT INTO metric VALUES(1,'time_ns','ns','run time, first to last event','nothing');
INSERT INTO metric VALUES(2,'parallel_efficiency','share','useful time of all ranks in theirs','nothing');
INSERT INTO metric VALUES(3,'load_balance','share','mean over greatest useful time of the ranks','nothing');
INSERT INTO metric VALUES(4,'communication_efficiency','share','greatest useful time in the run time','nothing');
INSERT INTO metric VALUES(5,'serialization_efficiency','share','communication efficiency with an ideal network','nothing');
INSERT INTO metric VALUES(6,'transfer_efficiency','share','run time with an ideal network in the run time','nothing');
INSERT INTO metric VALUES(7,'useful_ns','ns','time outside MPI between Init and Finalize','everything');
INSERT INTO metric VALUES(8,'mpi_ns','ns','time inside MPI between Init and Finalize','everything');
INSERT INTO metric VALUES(9,'wait_ns','ns','time waited between Init and Finalize, all wait states','everything');
INSERT INTO metric VALUES(10,'region_inclusive_ns','ns','time in the region and below, recursive calls counted once','nothing');
INSERT INTO metric VALUES(11,'visits','calls','how often the call path was entered','everything');
INSERT INTO metric VALUES(12,'inclusive_ns','ns','time in the call path and below','processes');
INSERT INTO metric VALUES(13,'exclusive_ns','ns','time in the call path, not below','everything');
INSERT INTO metric VALUES(14,'critical_path_ns','ns','time on the critical path','everything');
INSERT INTO metric VALUES(15,'messages','messages','messages from one rank to another','everything');
INSERT INTO metric VALUES(16,'message_bytes','bytes','bytes from one rank to another','everything');
INSERT INTO metric VALUES(17,'wait-at-nxn.count','instances','A rank waits in an all-to-all operation for the last one to come.','everything');
INSERT INTO metric VALUES(18,'wait-at-nxn.wait_ns','ns','A rank waits in an all-to-all operation for the last one to come.','everything');
INSERT INTO metric VALUES(19,'wait-at-nxn.caused_ns','ns','A rank waits in an all-to-all operation for the last one to come.','everything');
INSERT INTO metric VALUES(20,'late-sender.count','instances','A rank waits in a receive for a message that has not been sent yet.','everything');
INSERT INTO metric VALUES(21,'late-sender.wait_ns','ns','A rank waits in a receive for a message that has not been sent yet.','everything');
INSERT INTO metric VALUES(22,'late-sender.caused_ns','ns','A rank waits in a receive for a message that has not been sent yet.','everything');
INSERT INTO metric VALUES(23,'wait-at-finalize.count','instances','A rank waits in MPI_Finalize for the last one to come.','everything');
INSERT INTO metric VALUES(24,'wait-at-finalize.wait_ns','ns','A rank waits in MPI_Finalize for the last one to come.','everything');
INSERT INTO metric VALUES(25,'wait-at-finalize.caused_ns','ns','A rank waits in MPI_Finalize for the last one to come.','everything');
CREATE TABLE tuple (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    metric_id INTEGER NOT NULL REFERENCES metric,
    focus_id INTEGER NOT NULL REFERENCES focus,
    interval INTEGER NOT NULL, -- time_interval.number of the trial
    value NUMERIC NOT NULL,
    PRIMARY KEY (trial_id, metric_id, focus_id, interval)
) WITHOUT ROWID;
INSERT INTO tuple VALUES(1,1,0,0,9040000);
INSERT INTO tuple VALUES(1,2,0,1,0.57077690662865288029);
INSERT INTO tuple VALUES(1,3,0,1,0.79984019176987619648);
INSERT INTO tuple VALUES(1,4,0,1,0.71361368496079824463);
INSERT INTO tuple VALUES(1,7,1,1,5006000);
INSERT INTO tuple VALUES(1,7,2,1,3002000);
INSERT INTO tuple VALUES(1,8,1,1,2009000);
INSERT INTO tuple VALUES(1,8,2,1,4013000);
INSERT INTO tuple VALUES(1,9,1,1,1999000);
INSERT INTO tuple VALUES(1,9,2,1,4000000);
INSERT INTO tuple VALUES(1,10,3,0,18075000);
INSERT INTO tuple VALUES(1,10,4,0,12001000);
INSERT INTO tuple VALUES(1,10,5,0,4004000);
INSERT INTO tuple VALUES(1,10,6,0,1000);
INSERT INTO tuple VALUES(1,10,7,0,3997500);
INSERT INTO tuple VALUES(1,10,8,0,2017000);
INSERT INTO tuple VALUES(1,10,9,0,25000);
INSERT INTO tuple VALUES(1,11,10,0,1);
INSERT INTO tuple VALUES(1,11,11,0,1);
INSERT INTO tuple VALUES(1,11,12,0,1);
INSERT INTO tuple VALUES(1,11,13,0,1);
INSERT INTO tuple VALUES(1,11,14,0,1);
INSERT INTO tuple VALUES(1,11,15,0,1);
INSERT INTO tuple VALUES(1,11,16,0,1);
INSERT INTO tuple VALUES(1,11,17,0,1);
INSERT INTO tuple VALUES(1,11,18,0,1);
INSERT INTO tuple VALUES(1,11,19,0,1);
INSERT INTO tuple VALUES(1,11,20,0,1);
INSERT INTO tuple VALUES(1,11,21,0,1);
INSERT INTO tuple VALUES(1,12,10,0,9040000);
INSERT INTO tuple VALUES(1,12,11,0,9035000);
INSERT INTO tuple VALUES(1,12,12,0,5001000);
INSERT INTO tuple VALUES(1,12,13,0,7000000);
INSERT INTO tuple VALUES(1,12,14,0,4004000);
INSERT INTO tuple VALUES(1,12,15,0,1000);
INSERT INTO tuple VALUES(1,12,16,0,1999000);
INSERT INTO tuple VALUES(1,12,17,0,1998500);
INSERT INTO tuple VALUES(1,12,18,0,2008000);
INSERT INTO tuple VALUES(1,12,19,0,9000);
INSERT INTO tuple VALUES(1,12,20,0,10000);
INSERT INTO tuple VALUES(1,12,21,0,15000);
INSERT INTO tuple VALUES(1,13,10,0,22000);
INSERT INTO tuple VALUES(1,13,11,0,12500);
INSERT INTO tuple VALUES(1,13,12,0,5000000);
INSERT INTO tuple VALUES(1,13,13,0,2996000);
INSERT INTO tuple VALUES(1,13,14,0,4004000);
INSERT INTO tuple VALUES(1,13,15,0,1000);
INSERT INTO tuple VALUES(1,13,16,0,1999000);
INSERT INTO tuple VALUES(1,13,17,0,1998500);
INSERT INTO tuple VALUES(1,13,18,0,2008000);
INSERT INTO tuple VALUES(1,13,19,0,9000);
INSERT INTO tuple VALUES(1,13,20,0,10000);
INSERT INTO tuple VALUES(1,13,21,0,15000);
INSERT INTO tuple VALUES(1,14,22,0,5000000);
INSERT INTO tuple VALUES(1,14,23,0,1999000);
INSERT INTO tuple VALUES(1,14,24,0,1996000);
INSERT INTO tuple VALUES(1,14,25,0,21000);
INSERT INTO tuple VALUES(1,14,26,0,10000);
INSERT INTO tuple VALUES(1,14,27,0,9000);
INSERT INTO tuple VALUES(1,14,28,0,4000);
INSERT INTO tuple VALUES(1,14,29,0,1000);
INSERT INTO tuple VALUES(1,15,30,0,1);
INSERT INTO tuple VALUES(1,16,30,0,1024);
INSERT INTO tuple VALUES(1,17,18,0,1);
INSERT INTO tuple VALUES(1,18,18,0,1999000);
INSERT INTO tuple VALUES(1,19,2,0,1999000);
INSERT INTO tuple VALUES(1,20,14,0,1);
INSERT INTO tuple VALUES(1,21,14,0,4000000);
INSERT INTO tuple VALUES(1,22,1,0,4000000);
INSERT INTO tuple VALUES(1,23,21,0,1);
INSERT INTO tuple VALUES(1,24,21,0,5000);
INSERT INTO tuple VALUES(1,25,1,0,5000);
INSERT INTO tuple VALUES(2,1,0,0,5531000);
INSERT INTO tuple VALUES(2,2,0,1,0.56968554354012523877);
INSERT INTO tuple VALUES(2,3,0,1,0.79979025169796247318);
INSERT INTO tuple VALUES(2,4,0,1,0.71229368241320434318);
INSERT INTO tuple VALUES(2,7,1,1,2503000);
INSERT INTO tuple VALUES(2,7,2,1,1500750);
INSERT INTO tuple VALUES(2,8,1,1,1011000);
INSERT INTO tuple VALUES(2,8,2,1,2013250);
INSERT INTO tuple VALUES(2,9,1,1,1001500);
INSERT INTO tuple VALUES(2,9,2,1,2000250);
INSERT INTO tuple VALUES(2,10,3,0,11059500);
INSERT INTO tuple VALUES(2,10,4,0,6002750);
INSERT INTO tuple VALUES(2,10,5,0,2004250);
INSERT INTO tuple VALUES(2,10,6,0,500);
INSERT INTO tuple VALUES(2,10,7,0,3997500);
INSERT INTO tuple VALUES(2,10,8,0,1019500);
INSERT INTO tuple VALUES(2,10,9,0,22500);
INSERT INTO tuple VALUES(2,11,10,0,1);
INSERT INTO tuple VALUES(2,11,11,0,1);
INSERT INTO tuple VALUES(2,11,12,0,1);
INSERT INTO tuple VALUES(2,11,13,0,1);
INSERT INTO tuple VALUES(2,11,14,0,1);
INSERT INTO tuple VALUES(2,11,15,0,1);
INSERT INTO tuple VALUES(2,11,16,0,1);
INSERT INTO tuple VALUES(2,11,17,0,1);
INSERT INTO tuple VALUES(2,11,18,0,1);
INSERT INTO tuple VALUES(2,11,19,0,1);
INSERT INTO tuple VALUES(2,11,20,0,1);
INSERT INTO tuple VALUES(2,11,21,0,1);
INSERT INTO tuple VALUES(2,12,10,0,5531000);
INSERT INTO tuple VALUES(2,12,11,0,5528500);
INSERT INTO tuple VALUES(2,12,12,0,2500500);
INSERT INTO tuple VALUES(2,12,13,0,3502250);
INSERT INTO tuple VALUES(2,12,14,0,2004250);
INSERT INTO tuple VALUES(2,12,15,0,500);
INSERT INTO tuple VALUES(2,12,16,0,1999000);
INSERT INTO tuple VALUES(2,12,17,0,1998500);
INSERT INTO tuple VALUES(2,12,18,0,1010500);
INSERT INTO tuple VALUES(2,12,19,0,9000);
INSERT INTO tuple VALUES(2,12,20,0,10000);
INSERT INTO tuple VALUES(2,12,21,0,12500);
INSERT INTO tuple VALUES(2,13,10,0,11000);
INSERT INTO tuple VALUES(2,13,11,0,6250);
INSERT INTO tuple VALUES(2,13,12,0,2500000);
INSERT INTO tuple VALUES(2,13,13,0,1498000);
INSERT INTO tuple VALUES(2,13,14,0,2004250);
INSERT INTO tuple VALUES(2,13,15,0,500);
INSERT INTO tuple VALUES(2,13,16,0,1999000);
INSERT INTO tuple VALUES(2,13,17,0,1998500);
INSERT INTO tuple VALUES(2,13,18,0,1010500);
INSERT INTO tuple VALUES(2,13,19,0,9000);
INSERT INTO tuple VALUES(2,13,20,0,10000);
INSERT INTO tuple VALUES(2,13,21,0,12500);
INSERT INTO tuple VALUES(2,14,22,0,2500000);
INSERT INTO tuple VALUES(2,14,23,0,1999000);
INSERT INTO tuple VALUES(2,14,24,0,998000);
INSERT INTO tuple VALUES(2,14,25,0,10500);
INSERT INTO tuple VALUES(2,14,26,0,10000);
INSERT INTO tuple VALUES(2,14,27,0,9000);
INSERT INTO tuple VALUES(2,14,28,0,4000);
INSERT INTO tuple VALUES(2,14,29,0,500);
INSERT INTO tuple VALUES(2,15,30,0,1);
INSERT INTO tuple VALUES(2,16,30,0,1024);
INSERT INTO tuple VALUES(2,17,18,0,1);
INSERT INTO tuple VALUES(2,18,18,0,1001500);
INSERT INTO tuple VALUES(2,19,2,0,1001500);
INSERT INTO tuple VALUES(2,20,14,0,1);
INSERT INTO tuple VALUES(2,21,14,0,2000250);
INSERT INTO tuple VALUES(2,22,1,0,2000250);
INSERT INTO tuple VALUES(2,23,21,0,1);
INSERT INTO tuple VALUES(2,24,21,0,2500);
INSERT INTO tuple VALUES(2,25,1,0,2500);
CREATE TABLE property_instance (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    property_id INTEGER NOT NULL REFERENCES property,
    focus_id INTEGER NOT NULL REFERENCES focus,
    interval INTEGER NOT NULL,
    severity REAL NOT NULL, -- 0..1, by the formula of the property
    confidence REAL NOT NULL, -- 0..1
    count INTEGER NOT NULL,
    wait_ns INTEGER NOT NULL,
    PRIMARY KEY (trial_id, property_id, focus_id, interval)
) WITHOUT ROWID;
INSERT INTO property_instance VALUES(1,5,0,0,0.11056415929203540493,1.0,1,1999000);
INSERT INTO property_instance VALUES(1,5,1,0,0.11056415929203540493,1.0,1,1999000);
INSERT INTO property_instance VALUES(1,5,31,0,0.11056415929203540493,1.0,1,1999000);
INSERT INTO property_instance VALUES(1,7,0,0,0.22123893805309735594,1.0,1,4000000);
INSERT INTO property_instance VALUES(1,7,2,0,0.22123893805309735594,1.0,1,4000000);
INSERT INTO property_instance VALUES(1,7,32,0,0.22123893805309735594,1.0,1,4000000);
INSERT INTO property_instance VALUES(1,11,0,0,0.00027654867256637167757,1.0,1,5000);
INSERT INTO property_instance VALUES(1,11,2,0,0.00027654867256637167757,1.0,1,5000);
INSERT INTO property_instance VALUES(1,11,33,0,0.00027654867256637167757,1.0,1,5000);
INSERT INTO property_instance VALUES(2,5,0,0,0.090535165431205932851,1.0,1,1001500);
INSERT INTO property_instance VALUES(2,5,1,0,0.090535165431205932851,1.0,1,1001500);
INSERT INTO property_instance VALUES(2,5,31,0,0.090535165431205932851,1.0,1,1001500);
INSERT INTO property_instance VALUES(2,7,0,0,0.18082173205568613516,1.0,1,2000250);
INSERT INTO property_instance VALUES(2,7,2,0,0.18082173205568613516,1.0,1,2000250);
INSERT INTO property_instance VALUES(2,7,32,0,0.18082173205568613516,1.0,1,2000250);
INSERT INTO property_instance VALUES(2,11,0,0,0.00022599891520520701618,1.0,1,2500);
INSERT INTO property_instance VALUES(2,11,2,0,0.00022599891520520701618,1.0,1,2500);
INSERT INTO property_instance VALUES(2,11,33,0,0.00022599891520520701618,1.0,1,2500);
CREATE TABLE trial_property ( -- what was searched for, and the longest single wait
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    property_id INTEGER NOT NULL REFERENCES property,
    is_evaluated INTEGER NOT NULL, -- 0: the trace lacks the records it needs
    is_top INTEGER NOT NULL, -- 1: its waits are in no other property's
    worst_focus_id INTEGER REFERENCES focus,
    worst_cause_id INTEGER REFERENCES resource, -- the process waited for
    worst_begin_ns INTEGER,
    worst_wait_ns INTEGER,
    PRIMARY KEY (trial_id, property_id)
) WITHOUT ROWID;
INSERT INTO trial_property VALUES(1,1,1,1,NULL,NULL,NULL,NULL);
INSERT INTO trial_property VALUES(1,2,1,1,NULL,NULL,NULL,NULL);
INSERT INTO trial_property VALUES(1,3,1,1,NULL,NULL,NULL,NULL);
INSERT INTO trial_property VALUES(1,4,1,1,NULL,NULL,NULL,NULL);
INSERT INTO trial_property VALUES(1,5,1,1,18,25,7002000,1999000);
INSERT INTO trial_property VALUES(1,6,1,1,NULL,NULL,NULL,NULL);
INSERT INTO trial_property VALUES(1,7,1,1,14,24,3000000,4000000);
INSERT INTO trial_property VALUES(1,8,1,0,NULL,NULL,NULL,NULL);
INSERT INTO trial_property VALUES(1,9,1,0,NULL,NULL,NULL,NULL);
INSERT INTO trial_property VALUES(1,10,1,0,NULL,NULL,NULL,NULL);
INSERT INTO trial_property VALUES(1,11,1,1,21,24,9015000,5000);
INSERT INTO trial_property VALUES(1,12,1,1,NULL,NULL,NULL,NULL);
INSERT INTO trial_property VALUES(1,13,1,1,NULL,NULL,NULL,NULL);
INSERT INTO trial_property VALUES(2,1,1,1,NULL,NULL,NULL,NULL);
INSERT INTO trial_property VALUES(2,2,1,1,NULL,NULL,NULL,NULL);
INSERT INTO trial_property VALUES(2,3,1,1,NULL,NULL,NULL,NULL);
INSERT INTO trial_property VALUES(2,4,1,1,NULL,NULL,NULL,NULL);
INSERT INTO trial_property VALUES(2,5,1,1,18,25,4500500,1001500);
INSERT INTO trial_property VALUES(2,6,1,1,NULL,NULL,NULL,NULL);
INSERT INTO trial_property VALUES(2,7,1,1,14,24,2499250,2000250);
INSERT INTO trial_property VALUES(2,8,1,0,NULL,NULL,NULL,NULL);
INSERT INTO trial_property VALUES(2,9,1,0,NULL,NULL,NULL,NULL);
INSERT INTO trial_property VALUES(2,10,1,0,NULL,NULL,NULL,NULL);
INSERT INTO trial_property VALUES(2,11,1,1,21,24,5513500,2500);
INSERT INTO trial_property VALUES(2,12,1,1,NULL,NULL,NULL,NULL);
INSERT INTO trial_property VALUES(2,13,1,1,NULL,NULL,NULL,NULL);
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 VALUES('tuple','tuple','20000000 20000 1000 1 1');
INSERT INTO sqlite_stat1 VALUES('time_interval','time_interval','2000 2 1');
INSERT INTO sqlite_stat1 VALUES('trial_rank','trial_rank','64000 64 1');
INSERT INTO sqlite_stat1 VALUES('trial_resource','trial_resource','500000 500 1');
INSERT INTO sqlite_stat1 VALUES('trial_resource','trial_resource_by_resource','500000 500');
INSERT INTO sqlite_stat1 VALUES('trial_property','trial_property','10000 10 1');
INSERT INTO sqlite_stat1 VALUES('property_instance','property_instance','500000 500 50 1 1');
INSERT INTO sqlite_stat1 VALUES('trial','sqlite_autoindex_trial_1','1000 100 1');
INSERT INTO sqlite_stat1 VALUES('experiment','sqlite_autoindex_experiment_1','10 5 1');
INSERT INTO sqlite_stat1 VALUES('application','sqlite_autoindex_application_1','3 1');
INSERT INTO sqlite_stat1 VALUES('metric','sqlite_autoindex_metric_1','50 1');
INSERT INTO sqlite_stat1 VALUES('property','sqlite_autoindex_property_1','20 1');
INSERT INTO sqlite_stat1 VALUES('resource','sqlite_autoindex_resource_1','10000 1');
INSERT INTO sqlite_stat1 VALUES('resource','resource_by_parent','10000 10');
INSERT INTO sqlite_stat1 VALUES('focus','sqlite_autoindex_focus_1','100000 64 2 1 1 1 1');
INSERT INTO sqlite_stat1 VALUES('focus','focus_by_code','100000 100');
INSERT INTO sqlite_stat1 VALUES('focus','focus_by_message','2000 1');
INSERT INTO sqlite_stat1 VALUES('focus','focus_by_other','100 2');
INSERT INTO sqlite_stat1 VALUES('trial_node','trial_node','4000 4 1');
CREATE TABLE prediction ( -- what a trial of that origin was predicted from
    trial_id INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,
    measured_id INTEGER REFERENCES trial ON DELETE SET NULL, -- NULL: removed since
    change TEXT NOT NULL, -- the what-if options
    replay_error REAL NOT NULL -- of the prediction with nothing changed, a share
, measured_as TEXT);
INSERT INTO prediction VALUES(2,1,'--cpu-speed 2',0.0,NULL);
CREATE TABLE trial_node (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    machine_id INTEGER NOT NULL REFERENCES resource,
    n_cores INTEGER, -- that its ranks could use together, NULL when unknown
    n_ranks INTEGER NOT NULL,
    PRIMARY KEY (trial_id, machine_id)
) WITHOUT ROWID;
INSERT INTO trial_node VALUES(1,23,NULL,2);
INSERT INTO trial_node VALUES(2,23,2,2);
CREATE TABLE point_not_run ( -- a point of a sweep that has no trial
    experiment_id INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,
    name TEXT NOT NULL, -- as its trial would be called
    state TEXT NOT NULL CHECK (state IN ('skipped', 'failed', 'too long')),
    reason TEXT NOT NULL,
    noted_at TEXT NOT NULL,
    PRIMARY KEY (experiment_id, name)
) WITHOUT ROWID;
INSERT INTO point_not_run VALUES(1,'size=128','skipped','size>64','2026-11-22T02:20:00Z');
CREATE TABLE point_parameter (
    experiment_id INTEGER NOT NULL,
    point TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (experiment_id, point, name),
    FOREIGN KEY (experiment_id, point)
        REFERENCES point_not_run (experiment_id, name) ON DELETE CASCADE
) WITHOUT ROWID;
INSERT INTO point_parameter VALUES(1,'size=128','size','128');
CREATE TABLE run_interval ( -- which part of a run a trial of that origin is
    trial_id INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,
    name TEXT NOT NULL, -- as it was asked for: 1s:2s, solve#3
    is_phase INTEGER NOT NULL, -- 1: each rank has a begin and end of its own, in trial_rank
    begin_ns INTEGER NOT NULL, -- in the run, of the first rank
    end_ns INTEGER NOT NULL -- of the last rank
);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('trial',2);
CREATE INDEX trial_attribute_by_name ON trial_attribute (name, value);
CREATE INDEX resource_by_parent ON resource (parent_id);
CREATE INDEX trial_resource_by_resource ON trial_resource (resource_id);
CREATE INDEX focus_by_code ON focus (code_id);
CREATE INDEX focus_by_message ON focus (message_id) WHERE message_id <> 5;
CREATE INDEX focus_by_other ON focus (other_id) WHERE other_id <> 0;
CREATE VIEW trials AS
    SELECT t.id AS trial_id, a.name AS application, e.name AS experiment, t.name AS trial,
        t.origin, t.started_at, t.stored_at, t.n_ranks, t.n_nodes, t.time_ns,
        (SELECT value FROM tuple JOIN metric m ON m.id = metric_id
            WHERE trial_id = t.id AND m.name = 'parallel_efficiency' AND focus_id = 0
            AND interval = 1) AS parallel_efficiency,
        t.trace_path
    FROM trial t JOIN experiment e ON e.id = t.experiment_id
        JOIN application a ON a.id = e.application_id;
CREATE VIEW foci AS
    SELECT f.id AS focus_id, code.path AS code, call_path.path AS call_path,
        machine.path AS machine, process.path AS process, message.path AS message,
        other.path AS other,
        '< ' || code.path
            || CASE f.call_path_id WHEN 2 THEN '' ELSE ', ' || call_path.path END
            || ', ' || machine.path || ', ' || process.path
            || CASE f.message_id WHEN 5 THEN '' ELSE ', ' || message.path END
            || CASE f.other_id WHEN 0 THEN '' ELSE ', ' || other.path END
            || ' >' AS focus
    FROM focus f JOIN resource code ON code.id = f.code_id
        JOIN resource call_path ON call_path.id = f.call_path_id
        JOIN resource machine ON machine.id = f.machine_id
        JOIN resource process ON process.id = f.process_id
        JOIN resource message ON message.id = f.message_id
        JOIN resource other ON other.id = f.other_id;
CREATE VIEW measurements AS
    SELECT t.trial_id, m.name AS metric, t.value, m.unit, i.name AS interval, f.focus,
        f.code, f.call_path, f.machine, f.process, f.message, f.other
    FROM tuple t JOIN metric m ON m.id = t.metric_id
        JOIN foci f ON f.focus_id = t.focus_id
        JOIN time_interval i ON i.trial_id = t.trial_id AND i.number = t.interval;
CREATE VIEW profile_by_call_path AS
    SELECT t.trial_id, call_path.path AS call_path, code.path AS code,
        sum(CASE m.name WHEN 'visits' THEN value END) AS visits,
        sum(CASE m.name WHEN 'inclusive_ns' THEN value END) AS inclusive_ns,
        sum(CASE m.name WHEN 'exclusive_ns' THEN value END) AS exclusive_ns
    FROM tuple t JOIN metric m ON m.id = t.metric_id
        JOIN focus f ON f.id = t.focus_id
        JOIN resource call_path ON call_path.id = f.call_path_id
        JOIN resource code ON code.id = f.code_id
    WHERE m.name IN ('visits', 'inclusive_ns', 'exclusive_ns')
    GROUP BY t.trial_id, f.call_path_id, f.code_id;
CREATE VIEW profile_by_region AS
    SELECT t.trial_id, code.name AS region, file.name AS file,
        sum(CASE m.name WHEN 'visits' THEN value END) AS visits,
        sum(CASE m.name WHEN 'region_inclusive_ns' THEN value END) AS inclusive_ns,
        sum(CASE m.name WHEN 'exclusive_ns' THEN value END) AS exclusive_ns
    FROM tuple t JOIN metric m ON m.id = t.metric_id
        JOIN focus f ON f.id = t.focus_id JOIN resource code ON code.id = f.code_id
        JOIN resource file ON file.id = code.parent_id
    WHERE m.name IN ('visits', 'region_inclusive_ns', 'exclusive_ns')
    GROUP BY t.trial_id, f.code_id;
CREATE VIEW profile_by_process AS
    SELECT t.trial_id, process.path AS process, machine.path AS machine,
        sum(CASE m.name WHEN 'useful_ns' THEN value END) AS useful_ns,
        sum(CASE m.name WHEN 'mpi_ns' THEN value END) AS mpi_ns,
        sum(CASE m.name WHEN 'wait_ns' THEN value END) AS wait_ns
    FROM tuple t JOIN metric m ON m.id = t.metric_id
        JOIN focus f ON f.id = t.focus_id
        JOIN resource process ON process.id = f.process_id
        JOIN trial_rank r ON r.trial_id = t.trial_id AND r.process_id = f.process_id
        JOIN resource machine ON machine.id = r.machine_id
    WHERE m.name IN ('useful_ns', 'mpi_ns', 'wait_ns')
    GROUP BY t.trial_id, f.process_id;
CREATE VIEW wait_states AS -- of the whole run; more exactly placed: property_instances
    SELECT i.trial_id, p.name AS property, p.title, i.count, i.wait_ns, i.severity,
        i.confidence, t.is_top
    FROM property_instance i JOIN property p ON p.id = i.property_id
        JOIN trial_property t ON t.trial_id = i.trial_id AND t.property_id = i.property_id
    WHERE i.focus_id = 0 AND i.interval = 0
;
CREATE VIEW property_instances AS
    SELECT i.trial_id, p.name AS property, f.focus, f.code, f.call_path, f.process,
        t.name AS interval, i.severity, i.confidence, i.count, i.wait_ns
    FROM property_instance i JOIN property p ON p.id = i.property_id
        JOIN foci f ON f.focus_id = i.focus_id
        JOIN time_interval t ON t.trial_id = i.trial_id AND t.number = i.interval;
CREATE VIEW critical_path_by_region AS
    SELECT t.trial_id, code.name AS region, file.name AS file,
        sum(t.value) AS time_ns, CAST(sum(t.value) AS REAL) / trial.time_ns AS share
    FROM tuple t JOIN metric m ON m.id = t.metric_id AND m.name = 'critical_path_ns'
        JOIN focus f ON f.id = t.focus_id JOIN resource code ON code.id = f.code_id
        JOIN resource file ON file.id = code.parent_id
        JOIN trial ON trial.id = t.trial_id
    GROUP BY t.trial_id, f.code_id;
CREATE VIEW messages_between_ranks AS
    SELECT t.trial_id, CAST(sender.name AS INTEGER) AS sender,
        CAST(receiver.name AS INTEGER) AS receiver,
        sum(CASE m.name WHEN 'messages' THEN value END) AS n_messages,
        sum(CASE m.name WHEN 'message_bytes' THEN value END) AS size_bytes
    FROM tuple t JOIN metric m ON m.id = t.metric_id
        JOIN focus f ON f.id = t.focus_id
        JOIN resource receiver ON receiver.id = f.message_id
        JOIN resource sender ON sender.id = receiver.parent_id
    WHERE m.name IN ('messages', 'message_bytes')
    GROUP BY t.trial_id, f.message_id;
CREATE INDEX prediction_by_measured ON prediction (measured_id);
CREATE VIEW predictions AS
    SELECT p.trial_id, t.name AS trial, p.measured_id, m.name AS measured_trial, p.change,
        p.replay_error, m.time_ns AS measured_ns, t.time_ns AS predicted_ns,
        CAST(t.time_ns AS REAL) / m.time_ns - 1 AS relative_change
    FROM prediction p JOIN trial t ON t.id = p.trial_id
        LEFT JOIN trial m ON m.id = p.measured_id;
CREATE VIEW nodes AS
    SELECT n.trial_id, r.name AS node, n.n_cores, n.n_ranks
    FROM trial_node n JOIN resource r ON r.id = n.machine_id;
CREATE VIEW parameters AS
    SELECT trial_id, name AS parameter, value, coalesce(role, 'free') AS role
    FROM trial_attribute WHERE kind = 'parameter';
CREATE VIEW environment_variables AS
    SELECT trial_id, substr(name, 14) AS variable, value FROM trial_attribute
    WHERE kind = 'environment' AND name GLOB 'PAGODA::ENV::*';
CREATE VIEW points_not_run AS
    SELECT a.name AS application, e.name AS experiment, p.name AS point, p.state, p.reason,
        (SELECT group_concat(q.name || '=' || q.value, ' ') FROM point_parameter q
            WHERE q.experiment_id = p.experiment_id AND q.point = p.name) AS parameters,
        p.noted_at
    FROM point_not_run p JOIN experiment e ON e.id = p.experiment_id
        JOIN application a ON a.id = e.application_id;
CREATE VIEW environments AS
    SELECT t.id AS trial_id, t.started_at, t.n_ranks, t.n_nodes,
        (SELECT sum(n_cores) FROM trial_node n WHERE n.trial_id = t.id) AS n_cores,
        (SELECT group_concat(node, ' ') FROM (SELECT node FROM nodes n
            WHERE n.trial_id = t.id ORDER BY node)) AS nodes,
        max(CASE a.name WHEN 'PAGODA::COMMAND' THEN a.value END) AS command_line,
        max(CASE a.name WHEN 'PAGODA::DIRECTORY' THEN a.value END) AS directory,
        max(CASE a.name WHEN 'PAGODA::MPI' THEN a.value END) AS mpi,
        max(CASE a.name WHEN 'PAGODA::MPI_VERSION' THEN a.value END) AS mpi_version,
        max(CASE a.name WHEN 'PAGODA::COMPILER' THEN a.value END) AS compiler,
        max(CASE a.name WHEN 'PAGODA::REVISION' THEN a.value END) AS git_revision,
        max(CASE a.name WHEN 'PAGODA::REVISION_MODIFIED' THEN a.value END)
            AS git_is_modified,
        max(CASE a.name WHEN 'PAGODA::BRANCH' THEN nullif(a.value, '') END) AS git_branch,
        max(CASE a.name WHEN 'PAGODA::TAG' THEN nullif(a.value, '') END) AS git_tag
    FROM trial t LEFT JOIN trial_attribute a ON a.trial_id = t.id
    GROUP BY t.id;
CREATE VIEW intervals AS
    SELECT i.trial_id, t.name AS trial, i.name AS interval, i.is_phase, i.begin_ns, i.end_ns,
        t.time_ns, r.id AS run_id, r.name AS run,
        CAST(t.time_ns AS REAL) / r.time_ns AS share_of_run
    FROM run_interval i JOIN trial t ON t.id = i.trial_id LEFT JOIN trial r ON r.id =
        (SELECT max(w.id) FROM trial w WHERE w.experiment_id = t.experiment_id
            AND w.trace_path = t.trace_path AND w.origin IN ('measured', 'predicted')
            AND w.id NOT IN (SELECT trial_id FROM prediction));
COMMIT;
