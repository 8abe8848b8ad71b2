using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>The end of a pipeline in a test: it takes as many items as the test asks for, and holds the others back.</summary>
/// <remarks>
/// A call steps the pipeline until the item is there. It does not move the time. Items are copied out of their slots as
/// they are: of slots that own their objects, take what you need by a stage.
/// </remarks>
/// <typeparam name="T">What comes out.</typeparam>
/// <example>
/// <code>
/// using PipelineHarness&lt;Payment> harness = PipelineHarness.Run(Define(accounts).Poller("out"));
/// SinkProbe&lt;Payment> sink = harness.Sink&lt;Payment>("out");
/// harness.Source.Send(payment);
/// sink.Expect([payment]);
/// sink.ExpectNone();
/// </code>
/// </example>
public sealed class SinkProbe<T>
{
    private readonly Poller<T> _poller;
    private readonly Func<bool> _goOn;
    private readonly Func<bool> _isEnding;
    private readonly TimeSpan _limit;
    private readonly string _name;

    internal SinkProbe(Poller<T> poller, Func<bool> goOn, Func<bool> isEnding, TimeSpan limit, string name) =>
        (_poller, _goOn, _isEnding, _limit, _name) = (poller, goOn, isEnding, limit, name);

    /// <summary>Takes up to so many items; fewer if no more come.</summary>
    /// <param name="most">0 or more.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="most"/> is negative.</exception>
    public IReadOnlyList<T> Take(int most)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(most);
        List<T> taken = [];
        while (taken.Count < most && TryTake(out T item)) taken.Add(item);
        return taken;
    }

    /// <summary>Takes one item.</summary>
    /// <exception cref="ContractException">None comes.</exception>
    public T Next() => TryTake(out T item) ? item : throw Breach("An item must come out.", "none, and no stage goes on");

    /// <summary>Takes as many items as are given, and looks whether they are these.</summary>
    /// <param name="items">In their order.</param>
    /// <exception cref="ContractException">Others come, or too few.</exception>
    public void Expect(params IReadOnlyList<T> items)
    {
        ArgumentNullException.ThrowIfNull(items);
        IReadOnlyList<T> taken = Take(items.Count);
        if (!taken.SequenceEqual(items)) throw Breach($"These items must come out: {ResultText.Of(items)}.", ResultText.Of(taken));
    }

    /// <summary>Looks whether no item is there.</summary>
    /// <exception cref="ContractException">One is.</exception>
    public void ExpectNone()
    {
        if (TryTake(out T item)) throw Breach("No item must come out.", ResultText.Of(item));
    }

    /// <summary>Looks whether the pipeline has ended behind the items that were taken.</summary>
    /// <remarks>
    /// <b>Blocking</b>: an end that is under way is waited for, at most <see cref="HarnessOptions{T}.Limit"/>: the thread pool
    /// seals a ring behind its last item, and only then its stages end.
    /// </remarks>
    /// <exception cref="ContractException">It has not, or there is another item.</exception>
    public void ExpectEnd()
    {
        const string Rule = "The pipeline must have ended.";
        for (var left = new Patience(_limit); ; left.Ends(_poller.Completion))
        {
            if (TryTake(out T item)) throw Breach(Rule, $"another item: {ResultText.Of(item)}");
            using PolledBatch<T> polled = _poller.Poll(1);
            if (polled.Status == PollStatus.Ended) return;
            if (!_isEnding() || left.IsOver) throw Breach(Rule, "it goes on");
        }
    }

    private bool TryTake(out T item)
    {
        do
        {
            using PolledBatch<T> polled = _poller.Poll(1);
            if (polled.Count == 0) continue;
            item = polled.Items[0];
            return true;
        }
        while (_goOn());
        item = default!;
        return false;
    }

    private ContractException Breach(string rule, string found) => new(rule, found, $"sink '{_name}'");
}
