namespace Raceway.Proof.Tests.Stress;

/// <summary>Stateless stages at full speed, with faults and ends in the middle: every item is counted at the stage and behind it.</summary>
[Collection(OneAtATime.Name)]
public sealed class StatelessStressTests(ITestOutputHelper output)
{
    private const int Runs = 32;
    private const int Items = 6_000;

    [Fact]
    public async Task Items_AnyProducersDispatchAndFaults_AreHandledOnceAndSeenInOrder()
    {
        int seed = Seed.Value;
        output.WriteLine($"seed {seed}");
        long split = 0;
        for (int number = 0; number < Runs; number++) split += await Run(seed + number, number);
        Assert.True(split > 0, "No batch was split: nothing was shown.");
        Tally.Add(Counted.Operations, (long)Runs * Items);
    }

    // Returns how many batches were split.
    private static async Task<long> Run(int seed, int number)
    {
        var random = new Random(seed);
        ProducerKind kind = (ProducerKind)(number % 3);
        int producers = kind == ProducerKind.Single ? 1 : 2;
        bool halts = number % 4 == 3;
        int spins = random.Next(50, 600);
        int failsOneOf = random.Next(3) == 0 ? int.MaxValue : random.Next(20, 400);
        bool marks = random.Next(2) == 0;
        int unprocessed = 0;
        int[] done = new int[Items], failed = new int[Items];
        FaultPolicy policy = random.Next(3) switch
        {
            0 => FaultPolicy.Skip,
            1 => FaultPolicy.Retry(2, FaultPolicy.Skip),
            _ => FaultPolicy.DeadLetter((ref Numbered item, in FaultContext _) => Interlocked.Increment(ref failed[item.Number])),
        };
        bool counts = policy.WithSink is not null;
        await using var ring = new RingBuffer<Numbered>(1 << random.Next(6, 12), new RingOptions<Numbered>
        {
            Producers = kind,
            MaxProducers = producers,
            Wait = Wait.Async(),
            ProducerWait = Wait.Park(),
            OnUnprocessed = (ref Numbered _) => unprocessed++,
        });
        Dispatch dispatch = random.Next(4) switch
        {
            0 => Dispatch.Single,
            1 => Dispatch.Each(),
            2 => Dispatch.Batch(max: random.Next(1, 100)),
            _ => Dispatch.Batch(),
        };
        var options = new StageOptions { IsStateless = true, MostThreads = 2 + number % 3, Dispatch = dispatch, OnFault = policy };
        Stage stage = number % 2 == 0
            ? ring.Subscribe(
                new BatchLambda<Numbered>(batch =>
                {
                    for (int i = 0; i < batch.Count; i++)
                    {
                        Work(ref batch[i]);
                        if (!marks) continue;
                        Interlocked.Increment(ref done[batch[i].Number]);
                        batch.Complete(i + 1);
                    }

                    if (marks) return;
                    foreach (ref Numbered item in batch) Interlocked.Increment(ref done[item.Number]);
                }),
                options)
            : ring.Subscribe(
                new EventLambda<Numbered>((ref Numbered item, long _, bool _) =>
                {
                    Work(ref item);
                    Interlocked.Increment(ref done[item.Number]);
                }),
                options);
        int seen = 0;
        int wrong = 0;
        int[] next = [.. Enumerable.Repeat(-1, producers)];
        ring.Subscribe(
            (ref Numbered item) =>
            {
                seen++;
                bool isBad = item.Number % failsOneOf == failsOneOf - 1;
                // Of each producer in its order, behind its call or its policy.
                if (item.Number / producers <= next[item.Number % producers]) wrong++;
                next[item.Number % producers] = item.Number / producers;
                if (Volatile.Read(ref done[item.Number]) != (isBad ? 0 : 1) || item.Worked == isBad) wrong++;
                if (counts && Volatile.Read(ref failed[item.Number]) != (isBad ? 1 : 0)) wrong++;
            },
            new StageOptions { After = [stage] });
        await ring.StartAsync();

        long published = 0;
        Task[] publishing = [.. Enumerable.Range(0, producers).Select(of =>
        {
            Producer<Numbered> producer = ring.CreateAnyProducer();
            return Watchdog.Run(() =>
            {
                try
                {
                    for (int item = of; item < Items; item += producers)
                    {
                        producer.Publish(new Numbered { Number = item });
                        Interlocked.Increment(ref published);
                    }
                }
                catch (RingStoppedException)
                {
                    Assert.True(halts);
                }
            });
        })];
        if (halts)
        {
            await Watchdog.UntilAsync(() => stage.Position > Items / 3, ring);
            await Watchdog.Await(ring.HaltAsync(), ring);
        }

        await Watchdog.Await(Task.WhenAll(publishing), ring);
        if (!halts) Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);

        string what = $"seed {seed}, run {number}";
        Assert.True(wrong == 0, $"{what}: {wrong} items were wrong, early, late or doubled");
        Assert.True(done.All(static count => count <= 1), $"{what}: an item was handled twice");
        Assert.True(seen + unprocessed == published, $"{what}: published {published}, seen {seen}, unprocessed {unprocessed}");
        if (!halts) Assert.Equal((Items, 0), (seen, unprocessed));
        StageStatistics all = stage.GetStatistics();
        Assert.Equal(stage.Position + 1, all.Items + all.Skipped);
        return all.Split;

        void Work(ref Numbered item)
        {
            Thread.SpinWait(spins);
            if (item.Number % failsOneOf == failsOneOf - 1) throw new FormatException();
            item.Worked = true;
        }
    }

    private struct Numbered
    {
        public int Number;
        public bool Worked;
    }
}
