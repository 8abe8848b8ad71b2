using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Raceway.Concurrency;

/// <summary>For-each with at most so many bodies in flight.</summary>
/// <remarks>
/// <para>
/// <b>The bound</b> counts bodies, running or suspended: never more than <c>maxConcurrency</c> of them have begun and not
/// ended. It is no number of threads: suspended bodies hold none.
/// </para>
/// <para>
/// <b>Order</b>: items are begun roughly in their order; nothing is promised. Over lists, arrays and numbers a worker takes
/// a range of items where bodies turn out to be short; a sequence is asked for one item at a time, by one worker at a time.
/// </para>
/// <para>
/// <b>Failure</b>: the first body, or source, that throws ends it: no further body is begun, the token of those in flight is
/// cancelled, and when they have ended the failure is thrown as it is. What others threw as well is kept with it
/// (<see cref="SuppressedFailures"/>). <b>Cancellation</b> does the same and throws <see cref="OperationCanceledException"/>,
/// unless every item had been handled by then. Nothing is in flight any more when the value task completes.
/// </para>
/// <para>
/// <b>Threads</b>: bodies run on the thread pool with the caller's <see cref="ExecutionContext"/>, none on the caller's
/// thread; a thread is given back to the pool after about 50 µs of bodies that do not suspend. <b>Cost</b>: nothing is
/// allocated for an item, and for a call one cancellation source; workers and the value task's source are pooled. The value
/// task must be awaited once.
/// </para>
/// </remarks>
/// <example>
/// <code>
/// await BoundedParallel.ForEachAsync(
///     orders, maxConcurrency: 8, async (order, token) => await accounts.BookAsync(order, token), cancellation);
/// </code>
/// </example>
public static class BoundedParallel
{
    // An array is a list and turns into a memory; it need not be told which of the two is meant.
    private const int BehindLists = -1;

    /// <summary>Calls <paramref name="body"/> for each item.</summary>
    /// <param name="source">The items; must not change meanwhile.</param>
    /// <param name="maxConcurrency">The most bodies in flight, at least 1.</param>
    /// <param name="body">What is done with an item; the token says that it should end early.</param>
    /// <param name="cancellation">Ends the whole early.</param>
    public static ValueTask ForEachAsync<T>(
        IReadOnlyList<T> source, int maxConcurrency, Func<T, CancellationToken, ValueTask> body,
        CancellationToken cancellation = default)
    {
        Check(source, maxConcurrency, body);
        return OverList(source, maxConcurrency, new PlainBody<T>(body), cancellation);
    }

    /// <param name="source">The items; must not change meanwhile.</param>
    /// <param name="maxConcurrency">The most bodies in flight, at least 1.</param>
    /// <param name="state">Given to each body, so that it needs no closure.</param>
    /// <param name="body">What is done with an item; the token says that it should end early.</param>
    /// <param name="cancellation">Ends the whole early.</param>
    /// <inheritdoc cref="ForEachAsync{T}(IReadOnlyList{T}, int, Func{T, CancellationToken, ValueTask}, CancellationToken)"/>
    public static ValueTask ForEachAsync<T, TState>(
        IReadOnlyList<T> source, int maxConcurrency, TState state, Func<T, TState, CancellationToken, ValueTask> body,
        CancellationToken cancellation = default)
    {
        Check(source, maxConcurrency, body);
        return OverList(source, maxConcurrency, new StateBody<T, TState>(state, body), cancellation);
    }

    /// <inheritdoc cref="ForEachAsync{T}(IReadOnlyList{T}, int, Func{T, CancellationToken, ValueTask}, CancellationToken)"/>
    [OverloadResolutionPriority(BehindLists)]
    public static ValueTask ForEachAsync<T>(
        ReadOnlyMemory<T> source, int maxConcurrency, Func<T, CancellationToken, ValueTask> body,
        CancellationToken cancellation = default)
    {
        Check(maxConcurrency, body);
        return OverMemory(source, maxConcurrency, new PlainBody<T>(body), cancellation);
    }

    /// <inheritdoc cref="ForEachAsync{T, TState}(IReadOnlyList{T}, int, TState, Func{T, TState, CancellationToken, ValueTask}, CancellationToken)"/>
    [OverloadResolutionPriority(BehindLists)]
    public static ValueTask ForEachAsync<T, TState>(
        ReadOnlyMemory<T> source, int maxConcurrency, TState state, Func<T, TState, CancellationToken, ValueTask> body,
        CancellationToken cancellation = default)
    {
        Check(maxConcurrency, body);
        return OverMemory(source, maxConcurrency, new StateBody<T, TState>(state, body), cancellation);
    }

    /// <param name="source">The items; asked for one at a time, and disposed of at the end.</param>
    /// <param name="maxConcurrency">The most bodies in flight, at least 1.</param>
    /// <param name="body">What is done with an item; the token says that it should end early.</param>
    /// <param name="cancellation">Ends the whole early.</param>
    /// <inheritdoc cref="ForEachAsync{T}(IReadOnlyList{T}, int, Func{T, CancellationToken, ValueTask}, CancellationToken)"/>
    public static ValueTask ForEachAsync<T>(
        IEnumerable<T> source, int maxConcurrency, Func<T, CancellationToken, ValueTask> body,
        CancellationToken cancellation = default)
    {
        Check(source, maxConcurrency, body);
        return SequenceRun<T, PlainBody<T>>.Run(source, maxConcurrency, new(body), cancellation);
    }

    /// <param name="source">The items; asked for one at a time, and disposed of at the end.</param>
    /// <param name="maxConcurrency">The most bodies in flight, at least 1.</param>
    /// <param name="state">Given to each body, so that it needs no closure.</param>
    /// <param name="body">What is done with an item; the token says that it should end early.</param>
    /// <param name="cancellation">Ends the whole early.</param>
    /// <inheritdoc cref="ForEachAsync{T}(IReadOnlyList{T}, int, Func{T, CancellationToken, ValueTask}, CancellationToken)"/>
    public static ValueTask ForEachAsync<T, TState>(
        IEnumerable<T> source, int maxConcurrency, TState state, Func<T, TState, CancellationToken, ValueTask> body,
        CancellationToken cancellation = default)
    {
        Check(source, maxConcurrency, body);
        return SequenceRun<T, StateBody<T, TState>>.Run(source, maxConcurrency, new(state, body), cancellation);
    }

    /// <inheritdoc cref="ForEachAsync{T}(IEnumerable{T}, int, Func{T, CancellationToken, ValueTask}, CancellationToken)"/>
    public static ValueTask ForEachAsync<T>(
        IAsyncEnumerable<T> source, int maxConcurrency, Func<T, CancellationToken, ValueTask> body,
        CancellationToken cancellation = default)
    {
        Check(source, maxConcurrency, body);
        return AsyncSequenceRun<T, PlainBody<T>>.Run(source, maxConcurrency, new(body), cancellation);
    }

    /// <inheritdoc cref="ForEachAsync{T, TState}(IEnumerable{T}, int, TState, Func{T, TState, CancellationToken, ValueTask}, CancellationToken)"/>
    public static ValueTask ForEachAsync<T, TState>(
        IAsyncEnumerable<T> source, int maxConcurrency, TState state, Func<T, TState, CancellationToken, ValueTask> body,
        CancellationToken cancellation = default)
    {
        Check(source, maxConcurrency, body);
        return AsyncSequenceRun<T, StateBody<T, TState>>.Run(source, maxConcurrency, new(state, body), cancellation);
    }

    /// <summary>Calls <paramref name="body"/> for each number.</summary>
    /// <param name="fromInclusive">The first number.</param>
    /// <param name="toExclusive">The number behind the last; where it is not above the first there is nothing to do.</param>
    /// <param name="maxConcurrency">The most bodies in flight, at least 1.</param>
    /// <param name="body">What is done with a number; the token says that it should end early.</param>
    /// <param name="cancellation">Ends the whole early.</param>
    public static ValueTask ForAsync(
        int fromInclusive, int toExclusive, int maxConcurrency, Func<int, CancellationToken, ValueTask> body,
        CancellationToken cancellation = default)
    {
        Check(maxConcurrency, body);
        return RangeRun<int, NumberItems, PlainBody<int>>.Run(
            Numbers(fromInclusive, toExclusive), maxConcurrency, new(body), cancellation);
    }

    /// <param name="fromInclusive">The first number.</param>
    /// <param name="toExclusive">The number behind the last; where it is not above the first there is nothing to do.</param>
    /// <param name="maxConcurrency">The most bodies in flight, at least 1.</param>
    /// <param name="state">Given to each body, so that it needs no closure.</param>
    /// <param name="body">What is done with a number; the token says that it should end early.</param>
    /// <param name="cancellation">Ends the whole early.</param>
    /// <inheritdoc cref="ForAsync(int, int, int, Func{int, CancellationToken, ValueTask}, CancellationToken)"/>
    public static ValueTask ForAsync<TState>(
        int fromInclusive, int toExclusive, int maxConcurrency, TState state,
        Func<int, TState, CancellationToken, ValueTask> body, CancellationToken cancellation = default)
    {
        Check(maxConcurrency, body);
        return RangeRun<int, NumberItems, StateBody<int, TState>>.Run(
            Numbers(fromInclusive, toExclusive), maxConcurrency, new(state, body), cancellation);
    }

    private static ValueTask OverList<T, TBody>(IReadOnlyList<T> source, int bound, TBody body, CancellationToken cancellation)
        where TBody : struct, IForEachBody<T> =>
        source is T[] array
            ? RangeRun<T, ArrayItems<T>, TBody>.Run(new(array, 0, array.Length), bound, body, cancellation)
            : RangeRun<T, ListItems<T>, TBody>.Run(new(source, source.Count), bound, body, cancellation);

    private static ValueTask OverMemory<T, TBody>(
        ReadOnlyMemory<T> source, int bound, TBody body, CancellationToken cancellation)
        where TBody : struct, IForEachBody<T> =>
        MemoryMarshal.TryGetArray(source, out ArraySegment<T> array)
            ? RangeRun<T, ArrayItems<T>, TBody>.Run(new(array.Array!, array.Offset, array.Count), bound, body, cancellation)
            : RangeRun<T, MemoryItems<T>, TBody>.Run(new(source), bound, body, cancellation);

    private static NumberItems Numbers(int from, int to)
    {
        long count = (long)to - from;
        if (count > int.MaxValue) throw TaskMisuse.TooManyNumbers(from, to);
        return new NumberItems(from, (int)Math.Max(0, count));
    }

    private static void Check(object? source, int maxConcurrency, Delegate? body)
    {
        ArgumentNullException.ThrowIfNull(source);
        Check(maxConcurrency, body);
    }

    private static void Check(int maxConcurrency, Delegate? body)
    {
        ArgumentNullException.ThrowIfNull(body);
        if (maxConcurrency < 1) throw TaskMisuse.Bound(maxConcurrency);
    }
}
