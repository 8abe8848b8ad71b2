namespace Raceway.Rings.Tests;

/// <summary>Chains, fans and diamonds: nobody sees an item before all it follows.</summary>
public sealed class TopologyTests
{
    public static TheoryData<string, int> Shapes()
    {
        var data = new TheoryData<string, int>();
        foreach (string shape in new[] { "chain", "fan", "diamond", "ladder" })
            for (int seed = 1; seed <= 5; seed++) data.Add(shape, seed);
        return data;
    }

    private static int[][] UpstreamsOf(string shape) => shape switch
    {
        "chain" => [[], [0], [1], [2]],
        "fan" => [[], [], [], []],
        "diamond" => [[], [0], [0], [1, 2]],
        _ => [[], [], [0, 1], [0, 1], [2, 3], [1, 4]],
    };

    [Theory]
    [MemberData(nameof(Shapes))]
    public void Step_AnyOrder_NoStageIsAheadOfItsUpstream(string shape, int seed)
    {
        var random = new Random(seed);
        ProducerKind kind = (ProducerKind)(seed % 3);
        var ring = Make.Ring(16, kind);
        List<Stage> stages = [];
        List<List<long>> seen = [];
        foreach (int[] upstream in UpstreamsOf(shape))
        {
            List<long> items = [];
            Stage[] after = [.. upstream.Select(i => stages[i])];
            List<long>[] before = [.. upstream.Select(i => seen[i])];
            seen.Add(items);
            stages.Add(ring.Subscribe(
                new BatchLambda<long>(batch =>
                {
                    foreach (ref long item in batch)
                    {
                        items.Add(item);
                        foreach (List<long> earlier in before) Assert.True(earlier.Count >= items.Count);
                    }
                }),
                Make.Stepped(Dispatch.Batch(max: 5), after: after)));
        }

        Producer<long> producer = Make.Producer(ring);
        long published = 0;
        for (int i = 0; i < 3_000; i++)
        {
            int which = random.Next(stages.Count + 1);
            if (which < stages.Count) stages[which].Step(random.Next(1, 8));
            else if (producer.TryPublish(published) == ClaimStatus.Done) published++;
        }

        foreach (Stage stage in stages) Make.StepAll(stage);
        Assert.Equal(RingState.Created, ring.State);
        Assert.All(seen, items => Assert.Equal(Make.Range(0, published - 1), items));
    }

    [Theory]
    [InlineData("chain", "park")]
    [InlineData("diamond", "park")]
    [InlineData("ladder", "park")]
    [InlineData("ladder", "async")]
    public async Task Threads_EveryShape_EachStageSeesAllInOrder(string shape, string wait)
    {
        var ring = Make.Ring(16, wait: Wait.All.Single(each => each.Name == wait));
        List<Stage> stages = [];
        List<Summer> handlers = [];
        foreach (int[] upstream in UpstreamsOf(shape))
        {
            handlers.Add(new Summer());
            stages.Add(ring.Subscribe(handlers[^1], Make.After([.. upstream.Select(i => stages[i])])));
        }

        ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        await Watchdog.Await(Watchdog.Run(() => Make.PublishRange(producer, 0, 999)), ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.All(handlers, handler =>
            Assert.Equal((1_000, 499_500, true), (handler.Count, handler.Sum, handler.InOrder)));
    }

    private struct Doubler : IMapHandler<long, string>
    {
        public readonly void OnBatch(Batch<long> source, Batch<string> results)
        {
            Assert.Equal((source.Count, source.Sequence), (results.Count, results.Sequence));
            for (int i = 0; i < source.Count; i++) results[i] = $"{2 * source[i]}";
        }
    }

    [Fact]
    public void Map_IntoAnotherColumn_SameSequences()
    {
        var ring = Make.Ring(8);
        Slots<string> texts = ring.AddColumn<string>();
        List<string> seen = [];
        Stage map = ring.Slots.Subscribe(new Doubler(), texts, Make.Stepped(Dispatch.Batch(max: 3)));
        Stage after = texts.Subscribe(
            new BatchLambda<string>(batch =>
            {
                foreach (ref string text in batch) seen.Add(text);
            }),
            Make.Stepped(after: [map]));
        SingleProducer<long> producer = ring.CreateProducer();
        for (int i = 0; i < 50; i++)
        {
            producer.Publish(i);
            if (i % 6 != 5) continue;
            Make.StepAll(map);
            Make.StepAll(after);
        }

        Make.StepAll(map);
        Make.StepAll(after);
        Assert.Equal(Enumerable.Range(0, 50).Select(i => $"{2 * i}"), seen);
        Assert.IsType<Doubler>(map.GetHandler<IMapHandler<long, string>>());
    }

    [Fact]
    public void Map_ForeignColumn_IsRefused()
    {
        var ring = Make.Ring(8);
        Slots<string> foreign = Make.Ring(8).AddColumn<string>();
        Assert.Throws<ArgumentException>(() => ring.Slots.Subscribe(new Doubler(), foreign));
    }

    [Fact]
    public void Subscribe_ForeignOrDuplicate_IsRefused()
    {
        var ring = Make.Ring(8);
        Stage foreign = Make.Ring(8).Subscribe(new Recorder());
        Assert.Throws<ArgumentException>(() => ring.Subscribe(new Recorder(), Make.After(foreign)));
        ring.Subscribe(new Recorder(), new StageOptions { Name = "one" });
        Assert.Throws<ArgumentException>(() => ring.Subscribe(new Recorder(), new StageOptions { Name = "one" }));
        Assert.Equal(["one"], ring.Stages.Select(stage => stage.Name));
    }
}
