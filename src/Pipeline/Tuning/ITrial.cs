namespace Raceway.Pipelines;

/// <summary>A pipeline that <c>raceway tune</c> can try under many settings: how to build it, fill it and check it.</summary>
/// <remarks>
/// <para>One object is one trial: the tool finds the type in its assembly, makes an object by its public constructor
/// without parameters for each trial, calls <see cref="Build"/>, <see cref="Fill"/> for the items 0, 1, 2, … in this order,
/// waits until all of them are handled, and calls <see cref="Check"/>. What the stages count may thus be in fields that begin
/// at zero; what takes long to load belongs into a static one. A class that is <see cref="IDisposable"/> is disposed of when its
/// trial has ended.</para>
/// <para><b>Threads</b>: <see cref="Fill"/> is called by one thread, the producer; the others by any, before and after.</para>
/// </remarks>
/// <typeparam name="T">What is published.</typeparam>
/// <example>
/// <code>
/// public sealed class OrdersTrial : ITrial&lt;Order>
/// {
///     private long _booked;
///
///     public Pipeline&lt;Order> Build(PipelineSettings settings) =>
///         Pipeline.Of&lt;Order>(1024).Stage("book", (ref Order order) => _booked++).Build(settings);
///
///     public void Fill(ref Order slot, long number) => slot = new Order { Id = number };
///
///     public bool Check(long items) => _booked == items;
/// }
/// </code>
/// </example>
public interface ITrial<T>
{
    /// <summary>Defines the pipeline, and ends with <c>.Build(settings)</c>, which is all that there is to do with them.</summary>
    /// <param name="settings">What is tried.</param>
    Pipeline<T> Build(PipelineSettings settings);

    /// <summary>Writes an item into its slot, as a producer would. Timed: what is slow here hides what is measured.</summary>
    /// <param name="slot">What was here a lap before, or the default, or what <c>CreateSlot</c> made.</param>
    /// <param name="number">Which item: 0, 1, 2, …</param>
    void Fill(ref T slot, long number);

    /// <summary>Whether all came out as it must: count, sum, order. Called once, when every stage is done.</summary>
    /// <param name="items">How many were published.</param>
    bool Check(long items);
}
