namespace Raceway.Proof.Tests.Stress;

/// <summary>Runs one configuration on the shipped assembly, and counts exactly.</summary>
internal sealed class StressRun<T, TSlot>
    where TSlot : struct, ISlot<T>
{
    private readonly StressCase _run;
    private readonly RingBuffer<T> _ring;
    private readonly List<CheckingHandler<T, TSlot>> _handlers = [];
    private readonly List<Feeder<T, TSlot>> _feeders = [];
    private readonly List<Stage> _stages = [];
    private readonly PoisonPool _pool = new();
    private readonly int _seed;
    private long[] _positions = [];
    private long _offered;

    public StressRun(StressCase run, Func<RingOptions<T>, PoisonPool, RingOptions<T>>? configure = null)
    {
        _run = run;
        _seed = Seed.For(run.Name);
        var options = new RingOptions<T>
        {
            Producers = run.Kind, MaxProducers = run.Producers, Wait = run.Waits, ProducerWait = run.Waits,
            StartSequence = run.Start, DrainTimeout = TimeSpan.FromDays(1), OnUnprocessed = TakeUnprocessed,
        };
        _ring = new RingBuffer<T>(run.Capacity, configure?.Invoke(options, _pool) ?? options);
    }

    public PoisonPool Pool => _pool;

    /// <summary>Runs for so many items, or for so long, and checks everything; returns the items handled over all stages.</summary>
    public async Task<long> Run(long items, TimeSpan atMost)
    {
        Attach();
        for (int i = 0; i < _run.Producers; i++) _feeders.Add(new Feeder<T, TSlot>(_ring, _run, i, _seed + i));
        _positions = [.. _stages.Select(stage => stage.Position)];
        _ring.Start();
        Task stepping = _run.Drivers == Drivers.Caller ? Watchdog.Run(StepAll) : Task.CompletedTask;
        long each = items / _run.Producers;
        // Where the ring ends under its producers, they would go on.
        long enough = _run.Ends == Ends.Drain ? each : long.MaxValue;
        Task feeding = Task.WhenAll([.. _feeders.Select(feeder => Watchdog.Run(() => OnProcessor(() => feeder.Run(enough))))]);
        Task storm = _run.Shape is Shape.Cancel or Shape.Mixed ? Watchdog.Run(() => Storm(feeding)) : Task.CompletedTask;

        await Await(Task.WhenAny(feeding, Enough(items, atMost, feeding)));
        await End(feeding);
        await Await(Task.WhenAll(feeding, storm, stepping));
        foreach (CheckingHandler<T, TSlot> handler in _handlers) handler.LetGo();
        await Await(_ring.DisposeAsync().AsTask());
        return Verify();
    }

    private async Task End(Task feeding)
    {
        switch (_run.Ends)
        {
            case Ends.Drain:
                foreach (Feeder<T, TSlot> feeder in _feeders) feeder.Stop();
                await Await(feeding);
                await Await(_ring.DrainAsync(Timeout.InfiniteTimeSpan));
                break;
            case Ends.Complete:
                _ring.Complete();
                await Await(_ring.DrainAsync(Timeout.InfiniteTimeSpan));
                break;
            case Ends.Halt:
                await Await(_ring.HaltAsync());
                break;
            default:
                await Await(_ring.DisposeAsync().AsTask());
                break;
        }
    }

    private void Attach()
    {
        int[][] upstream = _run.Upstream;
        for (int i = 0; i < upstream.Length; i++)
        {
            var handler = new CheckingHandler<T, TSlot>(new Checker(i, upstream[i], _run), _run, _seed - i);
            var options = new StageOptions
            {
                After = [.. upstream[i].Select(before => _stages[before])],
                Dispatch = _run.Dispatch,
                OnFault = _run.Extra == Extra.Skips ? FaultPolicy.Decide<T>(SkipWhatAsksForIt) : FaultPolicy.Stop,
                Drive = _run.Drivers == Drivers.Caller ? Drive.Caller : Drive.OwnThread,
                InGroup = _run.Drivers == Drivers.Fused,
                Processors = _run.Processor < 0 ? null : [_run.Processor],
            };
            // The stages of a run differ, so that kinds of handlers follow each other.
            Called called = (Called)(((int)_run.Called + i) % (int)(Called.Async + 1));
            Stage stage = called switch
            {
                Called.Batch => _ring.Subscribe((IBatchHandler<T>)handler, options),
                Called.StructBatch => _ring.Slots.SubscribeBatches(new StructHandler<T, TSlot>(handler), options),
                Called.Event => _ring.Subscribe((IEventHandler<T>)handler, options),
                Called.StructEvent => _ring.Slots.SubscribeEvents(new StructHandler<T, TSlot>(handler), options),
                Called.Delegate => _ring.Subscribe(handler.OnSlot, options),
                _ => _ring.Subscribe((IAsyncBatchHandler<T>)handler, options),
            };
            handler.Attached = stage;
            _handlers.Add(handler);
            _stages.Add(stage);
        }

        if (_run.Drivers == Drivers.Fused) _ring.DriveTogether(new FusedStages(_stages), null, "fused");
    }

    private static FaultAction SkipWhatAsksForIt(ref T item, in FaultContext context) =>
        context.Fault is SkippedException ? FaultAction.Skip : FaultAction.Stop;

    private void StepAll() => OnProcessor(() =>
    {
        var random = new Random(_seed);
        bool[] ended = new bool[_stages.Count];
        while (!Array.TrueForAll(ended, end => end))
        {
            bool idle = true;
            for (int i = 0; i < _stages.Count; i++)
            {
                StepKind kind = _stages[i].Step(random.Next(4) == 0 ? random.Next(1, 9) : int.MaxValue).Kind;
                ended[i] |= kind == StepKind.Stopped;
                idle &= kind != StepKind.Progressed;
            }

            if (idle) Thread.Yield();
        }
    });

    private void OnProcessor(Action body)
    {
        // These threads end with their body: nobody else inherits the binding.
        if (_run.Processor >= 0) Affinity.Write([_run.Processor]);
        body();
    }

    private void Storm(Task until)
    {
        var random = new Random(_seed);
        while (!until.IsCompleted)
        {
            Stalls.Take(random);
            _feeders[random.Next(_feeders.Count)].CancelWait();
            Thread.Yield();
        }
    }

    // The clock only cuts a run short, on a machine that is busy or slow for it; nothing is decided by it.
    private async Task Enough(long items, TimeSpan atMost, Task feeding)
    {
        long end = Environment.TickCount64 + (long)atMost.TotalMilliseconds;
        while ((Environment.TickCount64 < end || _feeders.Sum(feeder => feeder.Accepted) == 0) && !feeding.IsCompleted && !_ring.Completion.IsCompleted
            && _feeders.Sum(feeder => feeder.Accepted) < items) await Task.Delay(5);
    }

    private Task Await(Task task) =>
        StuckDetector.Await(
            task, _ring,
            () => _handlers.Sum(handler => handler.Checker.Count) + _feeders.Sum(feeder => feeder.Accepted)
                + _stages.Sum(stage => unchecked(stage.Position - _run.Start)),
            CheckMoment, $"{_run.Name}, seed {Seed.Value}");

    private void CheckMoment()
    {
        for (int i = 0; i < _stages.Count; i++)
        {
            long now = _stages[i].Position;
            Assert.True(now >= _positions[i], $"Stage {i} went back from {_positions[i]} to {now}; {_run.Name}");
            _positions[i] = now;
        }

        Assert.InRange(_ring.Backlog, 0, _run.Capacity);
    }

    // Items that stages have not passed, in order: the last stage would have been given them next.
    private void TakeUnprocessed(ref T slot)
    {
        _offered++;
        if (_run.Last is [int last]) _handlers[last].Checker.TakeLeft(TSlot.Of(ref slot));
    }

    private long Verify()
    {
        Assert.True(_ring.State == RingState.Stopped, $"{_ring.State}: {_ring.Completion.Exception?.InnerException}");
        long accepted = _feeders.Sum(feeder => feeder.Accepted);
        Assert.True(accepted > 0, $"Nothing was published; {_run.Name}");
        Assert.Equal(_offered, _ring.Unprocessed);
        if (_run.Ends != Ends.Halt) Assert.Equal(0, _offered);
        foreach (int last in _run.Last) Assert.True(accepted - _handlers[last].Checker.Count <= _offered, Message(last, accepted));
        Assert.Equal(accepted - _run.Last.Min(last => _handlers[last].Checker.Count), _offered);
        if (_run.Last is [int only])
        {
            for (int i = 0; i < _feeders.Count; i++) Assert.Equal(_feeders[i].Accepted, _handlers[only].Checker.Next[i]);
        }

        for (int i = 0; i < _stages.Count; i++) Verify(i, accepted);
        Assert.True(_pool.Census() is "", _pool.Census() + _run.Name);
        return _handlers.Sum(handler => handler.Checker.Count);
    }

    private void Verify(int stage, long accepted)
    {
        Checker checker = _handlers[stage].Checker;
        StageStatistics seen = _stages[stage].GetStatistics();
        string name = Message(stage, accepted);
        Assert.True(checker.Count == seen.Items + seen.Skipped, name);
        Assert.True(checker.Skipped == seen.Skipped && seen.Faults == seen.Skipped + checker.Refused && seen.Retries == 0, name);
        long passed = _stages[stage].Position + 1 - _run.Start;
        Assert.True(checker.Count + seen.Tombstones == passed, name);
        if (checker.Gaps >= 0) Assert.True(checker.Gaps + (_stages[stage].Position - checker.Last) == seen.Tombstones, name);
        if (_run.Kind != ProducerKind.Multi) Assert.Equal(0, seen.Tombstones);
        Assert.True(seen.Batches == seen.CloseReasons.Sum() && seen.Batches == seen.BatchSizes.Sum(), name);
        if (_run.Ends == Ends.Halt) return;
        Assert.True(checker.Count == accepted, name);
        Assert.True(checker.Order == _handlers[0].Checker.Order, name);
        // Where the ring ends under its producers, each may have looked before the end and claimed once behind it: that was refused.
        long claimed = _ring.Claims.ClaimedThrough;
        int behind = _run.Ends == Ends.Drain ? 0 : _run.Producers * Feeder<T, TSlot>.MostAtOnce;
        Assert.InRange(_stages[stage].Position, claimed - behind, claimed);
    }

    private string Message(int stage, long accepted)
    {
        Checker checker = _handlers[stage].Checker;
        return $"Stage {stage} took {checker.Count} of {accepted}, skipped {checker.Skipped}, gaps {checker.Gaps}, last {checker.Last}; "
            + $"offered {_offered}; {_stages[stage].GetStatistics()}; seed {Seed.Value}, {_run.Name}\n{Watchdog.Dump(_ring)}";
    }
}
