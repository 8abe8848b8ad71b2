using Raceway.Explorer.Engine;
using Raceway.Explorer.Modelled;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Walks of one thread: what a schedule does not reach. Not counted as schedules.</summary>
internal static class WalkBodies
{
    public static IEnumerable<Body> All
    {
        get
        {
            yield return Walk("walk/batches", Batches);
            yield return Walk("walk/claims", Claims);
            yield return Walk("walk/open-producer", OpenProducers);
            yield return Walk("walk/stamps", Stamps);
            yield return Walk("walk/strides", Strides);
            yield return Walk("walk/texts", Texts);
            yield return Walk("walk/manual-driver", ManualDrivers);
            yield return Walk("walk/columns", Columns);
            yield return Walk("walk/placement", Placement);
        }
    }

    public static Body Walk(string name, Action walk) =>
        new(name, world => world.Thread("walker", walk)) { Modes = [MemoryMode.Sequential] };

    private static void Batches()
    {
        var log = new Log();
        RingBuffer<Item> ring = Parts.Ring(4);
        Stage stage = ring.Slots.SubscribeBatches(new Marking(log), Parts.Stepped(Dispatch.Batch(max: 3, progressInterval: 1)));
        ring.Start();
        SingleProducer<Item> producer = ring.CreateProducer();
        for (int round = 0; round < 3; round++)
        {
            producer.Publish([new Item { Value = round * 2 }, new Item { Value = round * 2 + 1 }]);
            World.Equal(2, stage.Step().Count, "items");
        }

        log.IsExactly(0, 1, 2, 3, 4, 5);
        World.Equal(6, stage.GetHandler<Marking>().Count, "a struct's state");
        StageStatistics done = stage.GetStatistics();
        World.Equal(2.0, done.MeanBatch, "items a batch");
        World.Equal(0, stage.Lag + ring.Backlog, "lag and backlog");
        Span<Item> own = [new Item { Value = 7 }];
        var batch = new Batch<Item>(own, 9);
        World.Equal(9, batch.Sequence, "sequence");
        World.Equal(TimeSpan.Zero, batch.Age, "age");
        World.Equal(1, batch.Depth, "depth");
        World.Equal(CloseReason.Drained, batch.CloseReason, "reason");
        batch.Complete(1);
    }

    private static void Claims()
    {
        var log = new Log();
        RingBuffer<Item> ring = Parts.Ring(4, ProducerKind.Multi);
        Stage stage = ring.Subscribe(new Reader(log), Parts.Stepped());
        ring.Start();
        MultiProducer<Item> producer = ring.CreateMultiProducer();
        using (Claim<Item> claim = producer.Claim(2))
        {
            World.Equal(2, claim.First.Length + claim.Second.Length, "slots");
            claim[0].Value = 1;
            foreach (ref Item item in claim) item.Value++;
            claim.Commit(1);
        }

        producer.Claim().Abort();
        World.Equal(ClaimStatus.Done, producer.TryPublish(5L, static (ref Item item, long value) => item.Value = value), "a try");
        while (stage.Step().Kind == StepKind.Progressed)
        {
        }

        log.IsExactly(2, 5);
        World.Equal(2, stage.GetStatistics().Tombstones, "given-up claims");
        World.Check(producer.MaxClaim >= 1 && producer.Remaining == 4 && producer.CreditBatch >= 1, "what is free");
    }

    private static void OpenProducers()
    {
        var log = new Log();
        RingBuffer<Item> ring = Parts.Ring(8);
        Stage stage = ring.Subscribe(new Reader(log), Parts.Stepped());
        ring.Start();
        SingleProducer<Item> producer = ring.CreateProducer();
        OpenProducer<Item> open = producer.Open();
        open.Publish(new Item { Value = 0 });
        open.Claim().Value = 1;
        open.Commit();
        Batch<Item> three = open.Claim(3);
        for (int i = 0; i < 3; i++) three[i].Value = 2 + i;
        open.Commit(2);
        open.Claim(2)[0].Value = 4;
        open.Dispose();
        producer.Publish(new Item { Value = 4 });
        stage.Step();
        log.IsExactly(0, 1, 2, 3, 4);
        producer.ReleaseThread();
        producer.Dispose();
        ring.CreateProducer().Publish(5L, static (ref Item item, long value) => item.Value = value);
        stage.Step();
        log.IsExactly(0, 1, 2, 3, 4, 5);
    }

    // Long runs of stamps: every width of vector.
    private static void Stamps()
    {
        foreach (StampLayout layout in new[] { StampLayout.Separate, StampLayout.Padded })
        {
            var log = new Log();
            RingBuffer<Item> ring = Parts.Ring(64, ProducerKind.Multi, stamps: layout, maxProducers: 1);
            Stage stage = ring.Subscribe(new Reader(log), Parts.Stepped());
            ring.Start();
            Producer<Item> producer = ring.CreateMultiProducer();
            long next = 0;
            foreach (int count in new[] { 3, 4, 7, 9, 15, 17, 31, 33, 47, 64 })
            {
                for (int n = 0; n < count; n++) producer.Publish(new Item { Value = next++ });
                while (stage.Step().Kind == StepKind.Progressed)
                {
                }

                World.Equal(next, log.Count, "seen");
            }
        }
    }

    private static void Strides()
    {
        foreach (StampLayout layout in new[] { StampLayout.Separate, StampLayout.InSlot })
        {
            var log = new Log();
            RingBuffer<Item> ring = Parts.Ring(4, stamps: layout, slotStride: 64);
            Stage stage = ring.Subscribe(new Reader(log), Parts.Stepped());
            ring.Start();
            SingleProducer<Item> producer = ring.CreateProducer();
            for (int n = 0; n < 6; n++)
            {
                producer.Publish(new Item { Value = n });
                stage.Step();
            }

            log.IsExactly(0, 1, 2, 3, 4, 5);
        }
    }

    private static void Texts()
    {
        World.Equal("single", Dispatch.Single.ToString(), "text");
        World.Equal("each max 8 progress 2", Dispatch.Each(max: 8, progressInterval: 2).ToString(), "text");
        World.Equal("batch min 2 age 1.5 ms", Dispatch.Batch(min: 2, maxAge: TimeSpan.FromMilliseconds(1.5)).ToString(), "text");
        World.Equal("Drained", new DrainResult(DrainStatus.Drained, 3, [new StagePosition("a", 3)]).ToString(), "text");
        World.Equal("TimedOut: a at 1 of 3", new DrainResult(DrainStatus.TimedOut, 3, [new StagePosition("a", 1)]).ToString(), "text");
        World.Check(!new DrainResult(DrainStatus.TimedOut, 3, []).IsDrained, "a drain that was not");
        World.Equal(
            "busy-spin, yield, adaptive, park, timed-park, async", string.Join(", ", Wait.All.Select(wait => wait.ToString())), "waits");
        World.Equal("adaptive", Wait.Adaptive().Name, "name");
        World.Equal("timed-park", Wait.TimedPark(TimeSpan.FromMilliseconds(2)).Name, "name");
        World.Equal("park", Wait.Default.Name, "name");
    }

    private static void ManualDrivers()
    {
        var log = new Log();
        RingBuffer<Item> ring = Parts.Ring(8);
        Stage first = ring.Subscribe((ref Item item) => item.Value++, Parts.Stepped(Dispatch.Single));
        Stage second = ring.Subscribe(new Reader(log), Parts.Stepped(name: "second", after: first));
        ring.Start();
        SingleProducer<Item> producer = ring.CreateProducer();
        for (int n = 0; n < 4; n++) producer.Publish(new Item { Value = n });
        var driver = new ManualDriver([first, second], seed: 3);
        long handled = driver.StepAny(1).Count + driver.RunUntilIdle();
        World.Equal(8, handled, "handled");
        log.IsExactly(1, 2, 3, 4);
        World.Equal(StepKind.Idle, driver.StepAny().Kind, "afterwards");
        World.Equal(System.Threading.Timeout.InfiniteTimeSpan, driver.UntilDue(), "due");
        ring.DetachAsync(second).Wait();
    }

    private static void Columns()
    {
        RingBuffer<Item> ring = Parts.Ring(4);
        Slots<Item> results = ring.AddColumn(static () => new Item { Value = -1 });
        var log = new Log();
        Stage maps = ring.Slots.Subscribe(new Doubling(), results, Parts.Stepped(name: "maps"));
        Stage reads = results.Subscribe(new Reader(log), Parts.Stepped(after: maps));
        ring.Start();
        SingleProducer<Item> producer = ring.CreateProducer();
        for (int n = 0; n < 6; n++)
        {
            producer.Publish(new Item { Value = n });
            maps.Step();
            reads.Step();
        }

        log.IsExactly(0, 2, 4, 6, 8, 10);
        World.Check(maps.GetHandler<Doubling>() is not null, "its handler");
    }

    private static void Placement()
    {
        World.Equal("not asked", StagePlacement.NotAsked.ToString(), "text");
        World.Equal("1,2 not started yet", new StagePlacement(PlacementStatus.Pending, [1, 2]).ToString(), "text");
        World.Equal("3 applied", new StagePlacement(PlacementStatus.Applied, [3]).ToString(), "text");
        World.Equal("3 refused: no", new StagePlacement(PlacementStatus.Refused, [3], "no").ToString(), "text");
        World.Equal("3 unsupported: here", StagePlacement.Unsupported([3], "here").ToString(), "text");
        RingBuffer<Item> ring = Parts.Ring();
        Stage stepped = ring.Subscribe(new Reader(new Log()), Parts.Stepped() with { Processors = [0] });
        World.Equal(PlacementStatus.Unsupported, stepped.Placement.Status, "of a stage that its caller steps");
        int[] allowed = Affinity.Read();
        World.Equal(PlacementStatus.Applied, StagePlacement.Bind(allowed).Status, "where it runs anyway");
        World.Equal(PlacementStatus.Refused, StagePlacement.Bind([Affinity.Most - 1]).Status, "where there is no processor");
    }

    private struct Marking(Log log) : IBatchHandler<Item>
    {
        public int Count;

        public void OnBatch(Batch<Item> batch)
        {
            World.Equal(batch.Count, batch.First.Length + batch.Second.Length, "items in both spans");
            for (int i = 0; i < batch.Count; i++)
            {
                log.Add(in batch[i]);
                batch.Complete(i + 1);
                Count++;
            }

            World.Check(batch.Depth >= batch.Count && batch.Age >= TimeSpan.Zero, "depth and age");
            World.Equal(CloseReason.Drained, batch.CloseReason, "reason");
        }
    }

    private sealed class Doubling : IMapHandler<Item, Item>
    {
        public void OnBatch(Batch<Item> source, Batch<Item> results)
        {
            for (int i = 0; i < source.Count; i++) results[i].Value = 2 * source[i].Value;
        }
    }
}
