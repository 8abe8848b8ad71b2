using Raceway.Proof.Tests.Properties;

namespace Raceway.Proof.Tests.BadInput;

/// <summary>Random options, and random calls on rings in any state: nothing but what is documented is thrown, and the ring works.</summary>
/// <remarks>A failure names its seed; put it into the environment to see it again.</remarks>
public sealed class FuzzTests
{
    // Every case begins with a seed of its own, so that one alone can be run again.
    private const int CallsOfASequence = 24;

    private sealed class WriterFault : Exception;

    [Fact]
    public Task Dispatches_AnyLimits_AreMadeOrRefused() => Run(45_000, static random =>
    {
        int max = Number(random), min = Number(random), interval = Number(random);
        TimeSpan? age = random.Next(3) == 0 ? null : Time(random);
        bool isRight = max >= 1 && min >= 1 && min <= max && interval >= 0
            && (age is null || age == Timeout.InfiniteTimeSpan || (age > TimeSpan.Zero && min > 1));
        bool each = random.Next(2) == 0;
        Dispatch? made = null;
        Exception? fault = Record.Exception(() => made = each ? Dispatch.Each(max, min, age, interval) : Dispatch.Batch(max, min, age, interval));
        Assert.Equal(isRight, fault is null);
        Assert.True(isRight || fault is ArgumentException { ParamName: not null }, $"{fault}");
        if (isRight) Assert.Equal((max, min, interval), (made!.Max, made.Min, made.ProgressInterval));
        return 1;
    });

    [Fact]
    public Task Policies_AnyNesting_AreMadeOrRefused() => Run(15_000, static random =>
    {
        int attempts = Number(random);
        TimeSpan backoff = Time(random);
        FaultPolicy? then = Policy(random);
        bool isRetry = then is { Action: FaultAction.Retry };
        Exception? fault = Record.Exception(() => FaultPolicy.Retry(attempts, backoff, then));
        Assert.Equal(attempts >= 1 && backoff >= TimeSpan.Zero && !isRetry, fault is null);
        Assert.True(fault is null or ArgumentException { ParamName: not null }, $"{fault}");
        return 1;
    });

    [Fact]
    public Task Rings_AnyOptions_WorkOrAreRefused() => Run(8_000, static random =>
    {
        int capacity = random.Next(3) == 0 ? Number(random) : 1 << random.Next(1, 6);
        // What fits and is large would only be slow.
        if (capacity > 1 << 12 && int.IsPow2(capacity)) capacity++;
        var options = new RingOptions<long>
        {
            Producers = (ProducerKind)random.Next(-1, 4),
            MaxProducers = random.Next(2) == 0 ? Number(random) : random.Next(1, 5),
            Padding = random.Next(4) == 0 ? (CellPadding)random.Next(200) : CellPadding.LinePair,
            Stamps = (StampLayout)random.Next(-1, 4),
            SlotStride = Stride(random),
            DrainTimeout = random.Next(2) == 0 ? Time(random) : TimeSpan.Zero,
            ClaimTimeout = random.Next(2) == 0 ? Time(random) : Timeout.InfiniteTimeSpan,
            Wait = random.Next(9) == 0 ? null! : Wait.Default,
            ProducerWait = random.Next(9) == 0 ? null! : Wait.Default,
            ClearSlots = random.Next(3) switch { 0 => null, 1 => true, _ => false },
            CreateSlot = random.Next(3) == 0 ? static () => 7 : null,
        };
        RingBuffer<long>? ring = null;
        Exception? fault = Record.Exception(() => ring = new RingBuffer<long>(capacity, options));
        Assert.True(fault is null or ArgumentException { ParamName: not null }, $"{capacity} {options}: {fault}");
        if (ring is not null) FillAndEmpty(ring);
        return 1;
    });

    [Fact]
    public Task Stages_AnyOptions_WorkOrAreRefused() => Run(10_000, static random =>
    {
        var world = new World((ProducerKind)random.Next(3));
        var options = new StageOptions
        {
            Drive = random.Next(8) == 0 ? (Drive)Number(random) : Drive.Caller,
            Name = random.Next(3) switch { 0 => null, 1 => "stage", _ => new string((char)random.Next(char.MaxValue), random.Next(40)) },
            After = random.Next(8) switch { 0 => null!, 1 => [null!], 2 => [World.Foreign], 3 => [world.Stage, world.Stage], _ => [] },
            Dispatch = random.Next(6) == 0 ? null! : Dispatch.Batch(8, random.Next(1, 8)),
            OnFault = random.Next(4) == 0 ? Policy(random)! : FaultPolicy.Stop,
            IdleTimeout = random.Next(3) == 0 ? Time(random) : Timeout.InfiniteTimeSpan,
            HandlerTimeout = random.Next(3) == 0 ? Time(random) : Timeout.InfiniteTimeSpan,
            Processors = random.Next(3) == 0 ? [.. Enumerable.Range(0, random.Next(3)).Select(_ => Number(random))] : null,
        };
        Stage? stage = null;
        Exception? fault = Record.Exception(() => stage = world.Ring.Subscribe(new Recorder.Silent(), options));
        Assert.True(fault is null or ArgumentException { ParamName: not null }, $"{options}: {fault}");
        Assert.Equal(fault is null ? 2 : 1, world.Ring.Stages.Count);
        if (stage is null || stage.Options.Drive != Drive.Caller)
        {
            if (stage is null) world.StillWorks();
            return 1;
        }

        // It holds slots back now, and handles what comes as the other one does.
        stage.Dispatch = Dispatch.Batch();
        world.StillWorks();
        Assert.Equal(1, Make.StepAll(stage));
        Assert.Equal(stage.Position, world.Stage.Position);
        return 1;
    });

    [Fact]
    public Task Calls_AnyArguments_HurtNobody() => Run(40_000 / CallsOfASequence, static random =>
    {
        var world = new World((ProducerKind)random.Next(3));
        for (int i = 0; i < CallsOfASequence; i++)
        {
            Exception? fault = Record.Exception(() => Any(world, random));
            Assert.True(
                fault is null or ArgumentException or InvalidOperationException or OperationCanceledException or WriterFault, $"{fault}");
            Assert.InRange(world.Ring.Backlog, 0, 8);
            Assert.InRange(world.Producer.Remaining, 0, 8);
            // A claim that the call has left open is no other's concern, but here nothing may be left.
            Make.StepAll(world.Stage);
        }

        world.StillWorks();
        return CallsOfASequence;
    });

    private static void Any(World world, Random random)
    {
        switch (random.Next(14))
        {
            case 0: world.Producer.Publish(random.Next()); break;
            case 1: world.Producer.TryPublish(random.Next()); break;
            case 2: End(world.Producer.Claim(Number(random), new CancellationToken(true)), random); break;
            case 3:
                if (world.Producer.TryClaim(Number(random), out Claim<long> claim) == ClaimStatus.Done) End(claim, random);
                break;
            case 4:
                TimeSpan timeout = Time(random);
                if (timeout > TimeSpan.Zero || timeout == Timeout.InfiniteTimeSpan) timeout = TimeSpan.Zero;
                if (world.Producer.TryClaim(Number(random), timeout, out Claim<long> timed) == ClaimStatus.Done) End(timed, random);
                break;
            case 5: world.Stage.Step(Number(random)); break;
            case 6: world.Stage.Dispatch = Dispatch.Batch(Number(random), 1); break;
            case 7: world.Ring.DetachAsync(random.Next(2) == 0 ? World.Foreign : null!).GetAwaiter().GetResult(); break;
            case 8: world.Ring.CreateProducer(); break;
            case 9: world.Ring.CreateMultiProducer(); break;
            case 10: world.Producer.Publish(random.Next(), static (ref long _, int _) => throw new WriterFault()); break;
            case 11: world.Ring.Slots.Subscribe(new NoMap(), World.Foreign.Owner.AddColumn<string>()); break;
            case 12 when world.Producer is SingleProducer<long> single: InOpen(single, random); break;
            case 13 when random.Next(30) == 0: world.Ring.Complete(); break;
        }
    }

    private static void End(Claim<long> claim, Random random)
    {
        using Claim<long> owned = claim;
        owned[random.Next(2) == 0 ? 0 : Number(random)] = 1;
        if (random.Next(2) == 0) owned.Commit(Number(random));
        else owned.Commit();
        if (random.Next(4) == 0) owned.Abort();
    }

    private static void InOpen(SingleProducer<long> single, Random random)
    {
        using OpenProducer<long> open = single.Open();
        // No more than fits: more would wait for ever.
        int count = Number(random);
        if (count < 1 || count > single.MaxClaim || single.Remaining >= count) open.Claim(count)[Number(random)] = 1;
        open.Commit(Number(random));
    }

    private static void FillAndEmpty(RingBuffer<long> ring)
    {
        var recorder = new Recorder();
        Stage stage = ring.Subscribe(recorder, Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        for (int lap = 0; lap < 2; lap++)
        {
            recorder.Items.Clear();
            int done = 0;
            while (producer.TryPublish(done) == ClaimStatus.Done) done++;
            Make.StepAll(stage);
            Assert.Equal(Make.Range(0, done - 1), recorder.Items);
            Assert.InRange(done, 1, ring.Capacity);
        }
    }

    private static FaultPolicy? Policy(Random random) => random.Next(7) switch
    {
        0 => null,
        1 => FaultPolicy.Skip,
        2 => FaultPolicy.Detach,
        3 => FaultPolicy.Retry(random.Next(1, 9), TimeSpan.FromTicks(random.Next())),
        4 => FaultPolicy.DeadLetter(static (ref long _, in FaultContext _) => { }),
        5 => FaultPolicy.Decide(static (ref string _, in FaultContext _) => FaultAction.Skip),
        _ => FaultPolicy.Retry(1, TimeSpan.Zero, FaultPolicy.DeadLetter(static (ref string _, in FaultContext _) => { })),
    };

    private static int Number(Random random) => random.Next(6) switch
    {
        0 => random.Next(-2, 3),
        1 => random.Next(10),
        2 => 1 << random.Next(32),
        3 => int.MaxValue - random.Next(3),
        4 => int.MinValue + random.Next(3),
        _ => random.Next(int.MinValue, int.MaxValue),
    };

    private static TimeSpan Time(Random random) => random.Next(5) switch
    {
        0 => TimeSpan.FromTicks(random.Next(-3, 4)),
        1 => Timeout.InfiniteTimeSpan,
        2 => TimeSpan.MaxValue - TimeSpan.FromTicks(random.Next(3)),
        3 => TimeSpan.MinValue + TimeSpan.FromTicks(random.Next(3)),
        _ => TimeSpan.FromTicks(random.NextInt64(long.MinValue, long.MaxValue)),
    };

    // What fits and lies very far apart would be gigabytes.
    private static int Stride(Random random)
    {
        if (random.Next(2) == 0) return 0;
        int stride = random.Next(2) == 0 ? Number(random) : 8 << random.Next(6);
        return stride > 1024 ? stride | 1 : stride;
    }

    private static async Task Run(int push, Func<Random, int> one)
    {
        // The long set: 500 times as many, in pieces that the watchdog sees moving.
        int pieces = Tally.IsLong ? 30 : 1;
        long checkedInputs = 0;
        for (int piece = 0; piece < pieces; piece++)
        {
            int first = unchecked((int)Cases.Seed + piece * push);
            await Watchdog.Await(
                Watchdog.Run(() =>
                {
                    for (int i = 0; i < push; i++)
                    {
                        try
                        {
                            checkedInputs += one(new Random(unchecked(first + i)));
                        }
                        catch (Exception fault)
                        {
                            Assert.Fail($"{Cases.SeedVariable}={(uint)unchecked(first + i)}: {fault}");
                        }
                    }
                }),
                progress: () => Volatile.Read(ref checkedInputs),
                what: $"{Cases.SeedVariable}={(uint)first} and what has been done since");
        }

        Tally.Add(Counted.BadInputs, checkedInputs);
    }
}
