namespace Raceway.Suites.MainJob;

/// <summary>What takes the real input, as it is read, through the stages.</summary>
public interface ILineEngine
{
    /// <summary>The name in the report.</summary>
    string Name { get; }

    /// <summary>
    /// Publishes every line of <paramref name="reader"/> and returns when all have reached <paramref name="totals"/>.
    /// </summary>
    /// <remarks>
    /// What one <see cref="LineReader.Read"/> gave is published before the next: the reader may wait for chunks that the
    /// last stage holds. A stage that fails must lead to <see cref="LineReader.Abort"/>, for the same reason.
    /// </remarks>
    /// <typeparam name="TItem">The item: with or without a digest.</typeparam>
    /// <param name="reader">The input.</param>
    /// <param name="totals">The last stage.</param>
    /// <param name="cancellation">Stops it between two reads.</param>
    /// <exception cref="InputException">The input cannot be read on.</exception>
    /// <exception cref="OperationCanceledException">It was stopped.</exception>
    void Run<TItem>(LineReader reader, LineTotals totals, CancellationToken cancellation)
        where TItem : struct, ILineItem<TItem>;
}
