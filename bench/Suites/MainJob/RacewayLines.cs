using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.MainJob;

/// <summary>The main job on Raceway: one pipeline definition, under the dispatch, plan and waiting asked for.</summary>
/// <remarks>
/// How the producer groups its publishing is an axis of its own: here it claims the lines that are due, up to 256 as
/// <c>channel-batched</c> does, in every row but the one that publishes line by line.
/// </remarks>
/// <typeparam name="TItem">The item.</typeparam>
/// <param name="name">The name in the rows.</param>
/// <param name="setting">Dispatch, plan and wait, in the words of the rows; a wait that is no strategy's name says nothing.</param>
/// <param name="capacity">Lines that the ring holds.</param>
/// <param name="group">The most lines that are claimed and published at once.</param>
public sealed class RacewayLines<TItem>(string name, LineSetting setting, int capacity, int group = RacewayLines<TItem>.LargestGroup)
    : LineContestant
    where TItem : struct, ILineItem<TItem>
{
    /// <summary>The most lines published at once, as many as <c>channel-batched</c> puts into an array.</summary>
    public const int LargestGroup = 256;

    /// <inheritdoc/>
    public override string Name => name;

    /// <inheritdoc/>
    public override int BusyThreads => Plans[setting.Plan] == Plan.SharedRing ? TItem.Hashed ? 4 : 3 : 2;

    /// <inheritdoc/>
    public override LineSetting Setting => setting;

    /// <inheritdoc/>
    protected override double Drive(LineFeed feed, LineTotals totals)
    {
        Plan plan = Plans[setting.Plan];
        Wait? told = Wait.All.FirstOrDefault(wait => wait.Name == setting.Wait);
        // Where stages have threads of their own, each has a place, and so has the producer. Those of the pool have none: to move the
        // producer would often mean to move it to one of them, beside a processor that idles.
        bool onPool = plan == Plan.Auto || told?.Name == Wait.Async().Name;
        PipelineBuilder<TItem, TItem> definition = LinePipeline.Of<TItem>(capacity, totals, Dispatches[setting.Dispatch],
            onPool ? Plan.Pooled : plan, byHashData: setting.Hashing == LineSetting.ByHashData);
        if (told is not null) definition.WaitWith(told);
        Pipeline<TItem> pipeline = definition.Run(plan);
        SingleProducer<TItem> producer = pipeline.CreateProducer();
        int? place = onPool ? null : 0;
        if (group == 1) PublishOneByOne(feed, producer, place);
        else Publish(feed, producer, group, place);
        pipeline.DrainAsync(Timeout.InfiniteTimeSpan).GetAwaiter().GetResult();
        if (setting.Dispatch != "batch") return 1;
        IReadOnlyList<StageStatistics> stages = pipeline.GetStatistics();
        return (double)stages.Sum(static stage => stage.Items) / Math.Max(1, stages.Sum(static stage => stage.Batches));
    }

    private static Dictionary<string, Plan> Plans { get; } = new()
    {
        ["auto"] = Plan.Auto,
        ["fused"] = Plan.Fused,
        ["shared-ring"] = Plan.SharedRing,
    };

    private static Dictionary<string, Dispatch> Dispatches { get; } = new()
    {
        ["single"] = Dispatch.Single,
        ["each"] = Dispatch.Each(),
        ["batch"] = Dispatch.Batch(),
    };

    internal static void Publish(LineFeed feed, SingleProducer<TItem> producer, int group, int? place)
    {
        feed.Start(place);
        for (ReadOnlyMemory<Line> run; !(run = feed.Next(group, out long intended)).IsEmpty;)
        {
            ReadOnlySpan<Line> lines = run.Span;
            using Claim<TItem> claim = producer.Claim(lines.Length);
            Fill(claim.First, lines);
            Fill(claim.Second, lines[claim.First.Length..]);
            TItem.LineOf(ref claim.Slot).Intended = intended;
            claim.Commit();
        }
    }

    private static void PublishOneByOne(LineFeed feed, SingleProducer<TItem> handle, int? place)
    {
        using OpenProducer<TItem> producer = handle.Open();
        feed.Start(place);
        for (ReadOnlyMemory<Line> run; !(run = feed.Next(LargestGroup, out long intended)).IsEmpty;)
        {
            foreach (ref readonly Line line in run.Span)
            {
                ref Line slot = ref TItem.LineOf(ref producer.Claim());
                slot = line;
                slot.Intended = intended;
                intended = 0;
                producer.Commit();
            }
        }
    }

    private static void Fill(Span<TItem> slots, ReadOnlySpan<Line> lines)
    {
        for (int i = 0; i < slots.Length; i++) TItem.LineOf(ref slots[i]) = lines[i];
    }
}
