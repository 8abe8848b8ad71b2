using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>Small random pipelines, stepped in a random order, against a model. The seed is in the name.</summary>
public sealed class RandomGraphTests
{
    private const int MostStages = 8;

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, 150)];

    [Theory]
    [MemberData(nameof(Seeds))]
    public async Task Stages_SteppedInAnyOrder_SeeEverythingAfterTheirUpstream(int seed)
    {
        var random = new Random(seed);
        Graph graph = RandomGraph(random);
        Work[] works = graph.CreateWork();
        int capacity = 1 << random.Next(1, 6);
        int count = random.Next(0, 200);
        PipelineBuilder<Item, Item> builder = Pipeline.Of<Item>(capacity).HaltOnDispose();
        int[] definition = [.. Enumerable.Range(0, works.Length)];
        random.Shuffle(definition);
        // A kind that leaves its thread would put the scheduler's order into the run.
        foreach (int i in definition)
            builder.Stage(
                (HandlerKind)random.Next((int)HandlerKind.AsyncLater),
                Graph.Name(i), works[i], RandomDispatch(random, capacity), graph.After(i));

        await using Pipeline<Item> pipeline = builder.Run(Plan.Manual);
        Run(pipeline, random, count, seed);

        Assert.All(works, work => Assert.Equal(Enumerable.Range(0, count).Select(id => (long)id), work.Ids));
        Assert.Equal(graph.Folds(count), works.Select(work => work.Fold));
        Assert.All(pipeline.Stages, stage => Assert.Equal(count - 1, stage.Position));
        Assert.All(pipeline.GetStatistics(), done => Assert.Equal(count, done.Items));
    }

    [Theory]
    [InlineData(3)]
    [InlineData(77)]
    public void Run_TwiceWithOneSeed_IsTheSameRun(int seed)
    {
        Assert.Equal(Trace(seed), Trace(seed));
        Assert.NotEqual(Trace(seed), Trace(seed + 1));

        static List<string> Trace(int seed)
        {
            List<string> trace = [];
            Pipeline<long> pipeline = Pipeline.Of<long>(8)
                .Stage("a", (ref long item) => trace.Add($"a{item}"))
                .Stage("b", (ref long item) => trace.Add($"b{item}"))
                .After().Stage("c", (ref long item) => trace.Add($"c{item}"))
                .Run(Plan.Manual);
            SingleProducer<long> producer = pipeline.CreateProducer();
            var driver = new ManualDriver(pipeline.Stages, seed);
            long next = 0;
            while (pipeline["b"].Position < 99 || pipeline["c"].Position < 99)
            {
                while (next < 100 && producer.TryPublish(next) == ClaimStatus.Done) next++;
                driver.StepAny(quantum: 3);
            }

            return trace;
        }
    }

    private static void Run(Pipeline<Item> pipeline, Random random, int count, int seed)
    {
        SingleProducer<Item> producer = pipeline.CreateProducer();
        var driver = new ManualDriver(pipeline.Stages, seed);
        long published = 0;
        for (int turn = 0; published < count; turn++)
        {
            Assert.True(turn < 100_000, $"Stuck: seed {seed}, published {published} of {count}.\n{pipeline.Dump()}");
            // In place: the marks of the lap before stay, so that reading them too early is seen.
            int some = random.Next(1, 5);
            while (some-- > 0 && published < count && producer.TryPublish(
                       published, static (ref Item slot, long id) => slot.Id = id) == ClaimStatus.Done) published++;
            for (int steps = random.Next(0, 6); steps > 0; steps--) driver.StepAny(random.Next(1, 9));
        }

        // What is below a minimum is handled when nothing more will come.
        pipeline.Complete();
        driver.RunUntilIdle();
    }

    private static Graph RandomGraph(Random random)
    {
        int stages = random.Next(1, MostStages + 1);
        return new Graph([.. Enumerable.Range(0, stages).Select(
            stage => Enumerable.Range(0, stage).Where(_ => random.Next(3) == 0).ToArray())]);
    }

    private static Dispatch RandomDispatch(Random random, int capacity)
    {
        int max = random.Next(1, 12);
        int min = random.Next(3) == 0 ? random.Next(1, Math.Min(max, Math.Max(1, capacity / 2)) + 1) : 1;
        return random.Next(3) switch
        {
            0 => Dispatch.Single,
            1 => Dispatch.Each(max, min, progressInterval: random.Next(4)),
            _ => Dispatch.Batch(max, min),
        };
    }
}
