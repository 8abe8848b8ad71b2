using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Where pipelines begin.</summary>
/// <example>
/// <code>
/// await using Pipeline&lt;Order> pipeline = Pipeline.Of&lt;Order>(capacity: 1024)
///     .Stage("price", static (ref Order order) => order.Price = order.Pieces * 0.25m)
///     .Stage("book", (ref Order order) => accounts.Book(order))
///     .Run();
/// </code>
/// </example>
public static class Pipeline
{
    /// <summary>Begins the definition of a pipeline over items of <typeparamref name="T"/>.</summary>
    /// <param name="capacity">Slots of its ring: a power of two from 2 to 2³⁰.</param>
    /// <typeparam name="T">The item: class, struct or unmanaged.</typeparam>
    public static PipelineBuilder<T, T> Of<T>(int capacity)
    {
        var source = new Column<T>(new Segment(capacity), new RingOptions<T>());
        return new PipelineBuilder<T, T>(new PipelineDefinition(), source, source);
    }

    /// <summary>Begins a segment that takes what several definitions end in: their items, in no order between them.</summary>
    /// <remarks>
    /// <para>Each source keeps its order. Its items leave it when every stage of their segment has passed them, by a stage of
    /// its own: the first source's is called <paramref name="name"/> with a 1 behind it, and so on.</para>
    /// <para>The sources are taken as they are now. Their names must be unique together. Producers of each are made by its
    /// ring in <see cref="Pipeline{T}.Sources"/>.</para>
    /// </remarks>
    /// <param name="name">Of the stages that pass the items on.</param>
    /// <param name="capacity">Slots of the new ring: a power of two from 2 to 2³⁰.</param>
    /// <param name="sources">Two or more views, each of a segment of its own.</param>
    /// <typeparam name="TSource">What producers publish into each source.</typeparam>
    /// <typeparam name="T">What they end in.</typeparam>
    /// <exception cref="ArgumentException">Fewer than two, or one twice.</exception>
    public static PipelineBuilder<TSource, T> Merge<TSource, T>(
        string name, int capacity, params IReadOnlyList<PipelineBuilder<TSource, T>> sources)
    {
        ArgumentNullException.ThrowIfNull(name);
        ArgumentNullException.ThrowIfNull(sources);
        if (sources.Count < 2 || sources.Contains(null!) || sources.DistinctBy(source => source?.Segment).Count() < sources.Count)
        {
            throw new ArgumentException(
                $"A merge needs two sources or more, each a segment of its own: sources={sources.Count}. Name different ones.",
                nameof(sources));
        }

        return PipelineBuilder<TSource, T>.Merged(name, capacity, sources);
    }
}
