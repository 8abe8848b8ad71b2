namespace Raceway.Rings;

/// <summary>What a stage can be given: one of the interfaces below. By itself it says nothing.</summary>
/// <typeparam name="T">The item type.</typeparam>
public interface IStageHandler<T>;

/// <summary>Handles items one call a batch. The fast form for classes; structs are as fast either way.</summary>
/// <remarks>
/// <para><b>Threads</b>: called by one thread at a time, in sequence order, unless its stage is declared stateless
/// (<see cref="StageOptions.IsStateless"/>). A struct handler is copied to the stack for
/// the call and written back after it, also when it throws: its state is seen outside between batches.</para>
/// <para><b>Errors</b>: an exception goes to the stage's <see cref="FaultPolicy"/>; items marked by
/// <see cref="Batch{T}.Complete"/> are not handled again, others may be, in smaller batches.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// internal sealed class Book(Accounts accounts) : IBatchHandler&lt;Order>
/// {
///     public void OnBatch(Batch&lt;Order> batch)
///     {
///         foreach (ref Order order in batch) order.Price = order.Pieces * 0.25m;
///         accounts.SaveAll(batch);
///     }
/// }
/// </code>
/// </example>
public interface IBatchHandler<T> : IStageHandler<T>
{
    /// <summary>Handles <paramref name="batch"/>.</summary>
    void OnBatch(Batch<T> batch);
}

/// <summary>Handles items one call an item.</summary>
/// <remarks><inheritdoc cref="IBatchHandler{T}" path="/remarks"/></remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// internal sealed class Book(Accounts accounts) : IEventHandler&lt;Order>
/// {
///     public void OnEvent(ref Order item, long sequence, bool endOfBatch)
///     {
///         item.Price = item.Pieces * 0.25m;
///         accounts.Book(item);
///     }
/// }
/// </code>
/// </example>
public interface IEventHandler<T> : IStageHandler<T>
{
    /// <summary>Handles one item.</summary>
    /// <param name="item">The slot.</param>
    /// <param name="sequence">Its sequence.</param>
    /// <param name="endOfBatch">The last item of its batch (under *single*, always): the time to flush.</param>
    void OnEvent(ref T item, long sequence, bool endOfBatch);
}

/// <summary>Handles batches without holding a thread while it waits.</summary>
/// <remarks>
/// <para><b>Threads</b>: one batch at a time; the next one is handed over when the task has completed.</para>
/// <para><b>Cost</b>: a call that completes synchronously costs no more than one of <see cref="IBatchHandler{T}"/>, and the ring
/// allocates nothing for it. One that continues on another thread costs some 100 bytes.</para>
/// <para><b>Errors</b>: a task that fails is an exception of the handler.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// internal sealed class Store(Accounts accounts) : IAsyncBatchHandler&lt;Order>
/// {
///     public async ValueTask OnBatchAsync(AsyncBatch&lt;Order> batch, CancellationToken cancellation) =>
///         await accounts.SaveAllAsync(batch.ToArray(), cancellation);
/// }
/// </code>
/// </example>
public interface IAsyncBatchHandler<T> : IStageHandler<T>
{
    /// <summary>Handles <paramref name="batch"/>; its items are released when the task completes.</summary>
    /// <param name="batch">The items.</param>
    /// <param name="cancellation">Signalled on halt, fault and handler timeout; not on drain.</param>
    ValueTask OnBatchAsync(AsyncBatch<T> batch, CancellationToken cancellation);
}

/// <summary>Handles items one call a batch, and returns what has become of them.</summary>
/// <remarks>
/// Under *each* and *single* batches hold one item. An exception goes to the stage's <see cref="FaultPolicy"/>, as with
/// <see cref="IBatchHandler{T}"/>. The remarks there hold here too.
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// internal sealed class Store(Accounts accounts) : IOutcomeHandler&lt;Order>
/// {
///     public BatchOutcome OnBatch(Batch&lt;Order> batch)
///     {
///         for (int i = 0; i &lt; batch.Count; i++)
///             if (!accounts.TrySave(batch[i])) return BatchOutcome.RetryFrom(i, TimeSpan.FromMilliseconds(20));
///         return BatchOutcome.Done;
///     }
/// }
/// </code>
/// </example>
public interface IOutcomeHandler<T> : IStageHandler<T>
{
    /// <summary>Handles <paramref name="batch"/>, or part of it.</summary>
    BatchOutcome OnBatch(Batch<T> batch);
}

/// <summary>The same without holding a thread while it waits.</summary>
/// <remarks><inheritdoc cref="IAsyncBatchHandler{T}" path="/remarks"/></remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// internal sealed class Store(Accounts accounts) : IAsyncOutcomeHandler&lt;Order>
/// {
///     public async ValueTask&lt;BatchOutcome> OnBatchAsync(AsyncBatch&lt;Order> batch, CancellationToken cancellation)
///     {
///         if (!await accounts.IsOpenAsync(cancellation)) return BatchOutcome.RetryFrom(0, TimeSpan.FromSeconds(1));
///         await accounts.SaveAllAsync(batch.ToArray(), cancellation);
///         return BatchOutcome.Done;
///     }
/// }
/// </code>
/// </example>
public interface IAsyncOutcomeHandler<T> : IStageHandler<T>
{
    /// <summary>Handles <paramref name="batch"/>; what its task returns happens when it completes.</summary>
    /// <param name="batch">The items.</param>
    /// <param name="cancellation">Signalled on halt, fault and handler timeout; not on drain.</param>
    ValueTask<BatchOutcome> OnBatchAsync(AsyncBatch<T> batch, CancellationToken cancellation);
}

/// <summary>Handles items one to one into another type: a result column at the same sequences.</summary>
/// <remarks>
/// Stages over the results must follow this one. An item that is skipped here has the default of the result's type; where
/// the slots' objects are reused, its object as it was left.
/// </remarks>
/// <typeparam name="TIn">What it reads.</typeparam>
/// <typeparam name="TOut">What it writes.</typeparam>
/// <example>
/// <code>
/// internal sealed class Price : IMapHandler&lt;Order, decimal>
/// {
///     public void OnBatch(Batch&lt;Order> source, Batch&lt;decimal> results)
///     {
///         for (int i = 0; i &lt; source.Count; i++) results[i] = source[i].Pieces * 0.25m;
///     }
/// }
/// </code>
/// </example>
public interface IMapHandler<TIn, TOut>
{
    /// <summary>Writes <c>results[i]</c> from <c>source[i]</c> for every i.</summary>
    void OnBatch(Batch<TIn> source, Batch<TOut> results);
}

/// <summary>Optional for every handler: called where its stage starts and ends.</summary>
/// <remarks>
/// <see cref="OnStart"/> runs before the first item, <see cref="OnStop"/> after the last call, exactly once and only where
/// <see cref="OnStart"/> returned; on the thread that drives the stage. A stage that its caller does not step to its end has
/// <see cref="OnStop"/> called by the ring.
/// </remarks>
/// <example>
/// <code>
/// internal sealed class Export(string path) : IEventHandler&lt;Order>, IStageLifetime
/// {
///     private StreamWriter? _file;
///
///     public void OnStart() => _file = File.CreateText(path);
///
///     public void OnEvent(ref Order item, long sequence, bool endOfBatch) => _file!.WriteLine(item.Id);
///
///     public void OnStop() => _file!.Dispose();
/// }
/// </code>
/// </example>
public interface IStageLifetime
{
    /// <summary>Before the first item. An exception stops the ring.</summary>
    void OnStart();

    /// <summary>After the last call.</summary>
    void OnStop();
}

/// <summary>Optional for every handler: called when nothing has come for the stage's idle timeout.</summary>
/// <example>
/// <code>
/// // Attach it with new StageOptions { IdleTimeout = TimeSpan.FromSeconds(1) }.
/// internal sealed class Export(StreamWriter file) : IEventHandler&lt;Order>, IIdleHandler
/// {
///     public void OnEvent(ref Order item, long sequence, bool endOfBatch) => file.WriteLine(item.Id);
///
///     public void OnIdle() => file.Flush();
/// }
/// </code>
/// </example>
public interface IIdleHandler
{
    /// <summary>No item was available for the whole <see cref="StageOptions.IdleTimeout"/>. An exception stops the ring.</summary>
    void OnIdle();
}

/// <summary>Optional for every handler that works on several items at once, such as in the lanes of vectors.</summary>
/// <remarks>
/// The stage calls such a handler like any other. What is told of it goes by the width: the cost of a call as a function of
/// its batch, in a diagnosis and in <c>raceway tune</c>.
/// </remarks>
/// <example>
/// <code>
/// internal sealed class FindZero : IBatchHandler&lt;byte>, IWideHandler
/// {
///     public int Width => Vector&lt;byte>.Count;
///
///     public bool Found { get; private set; }
///
///     // Contains works on a vector at a time.
///     public void OnBatch(Batch&lt;byte> batch) => Found |= batch.First.Contains((byte)0) || batch.Second.Contains((byte)0);
/// }
/// </code>
/// </example>
public interface IWideHandler
{
    /// <summary>How many items cost as much as one: a batch costs a step for each so many, the last one begun counted whole.
    /// 1 or more. Read once, when the stage is built.</summary>
    int Width { get; }
}

/// <summary>Optional for every handler of batches with calls that have a price of their own: a sync, a statement, a round trip.</summary>
/// <remarks>
/// Such a handler is given all that waits: its batches have no limit but that of a <see cref="Dispatch"/> which names one, and no
/// plan makes them smaller. Workers that share the items of a stage are given their part each. The slots of a batch are free again
/// when it is done, so a ring of twice the usual size lets producers go on meanwhile.
/// </remarks>
/// <example>
/// <code>
/// internal sealed class Store(Stream log) : IBatchHandler&lt;byte>, IWholeBatchHandler
/// {
///     public bool TakesAll => true;
///
///     public void OnBatch(Batch&lt;byte> batch)
///     {
///         log.Write(batch.First);
///         log.Write(batch.Second);
///         log.Flush();  // once, for however many there are
///     }
/// }
/// </code>
/// </example>
public interface IWholeBatchHandler
{
    /// <summary>Whether a call is to be given all that waits. Read once, when the stage is built.</summary>
    bool TakesAll { get; }
}

/// <summary>Does something with one slot.</summary>
/// <typeparam name="T">The item type.</typeparam>
public delegate void SlotAction<T>(ref T slot);
