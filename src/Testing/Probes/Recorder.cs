using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>A stage that keeps what it is given, for a test to look at: give it as the last stage, or beside another.</summary>
/// <remarks><b>Threads</b>: read it when the pipeline has ended, or on the thread that steps it.</remarks>
/// <typeparam name="T">The item.</typeparam>
/// <param name="copy">Copies an item. Needed if slots own their objects: the next lap changes them.</param>
/// <example>
/// <code>
/// var recorder = new Recorder&lt;Payment>();
/// using PipelineHarness&lt;Payment> harness = PipelineHarness.Run(Define(accounts).Stage("record", recorder));
/// harness.Source.Send(payment);
/// harness.Finish();
/// Assert.Equal([payment], recorder.Items);
/// </code>
/// </example>
public sealed class Recorder<T>(Func<T, T>? copy = null) : IBatchHandler<T>
{
    private readonly List<T> _items = [];
    private readonly List<int> _batches = [];

    /// <summary>The items, in the order of their coming.</summary>
    public IReadOnlyList<T> Items => _items;

    /// <summary>How many items each call had.</summary>
    public IReadOnlyList<int> Batches => _batches;

    /// <inheritdoc/>
    public void OnBatch(Batch<T> batch)
    {
        foreach (ref T item in batch) _items.Add(copy is null ? item : copy(item));
        _batches.Add(batch.Count);
    }
}
