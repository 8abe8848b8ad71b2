namespace Raceway.Pipelines;

/// <summary>Makes one result of one item.</summary>
/// <typeparam name="TIn">What it reads.</typeparam>
/// <typeparam name="TOut">What it writes: every field that later stages read, as the slot has been used before.</typeparam>
public delegate void SlotMap<TIn, TOut>(ref TIn item, ref TOut result);

/// <summary>Makes any number of items of one.</summary>
/// <typeparam name="TIn">What it reads.</typeparam>
/// <typeparam name="TOut">What it makes.</typeparam>
public delegate void SlotExpansion<TIn, TOut>(ref TIn item, Emitter<TOut> output);

/// <summary>Makes any number of items of one, none included.</summary>
/// <remarks>
/// <para><b>Threads</b>: called by one thread at a time, in sequence order.</para>
/// <para><b>Order</b>: outputs are handled in the order in which they are made, those of an item before those of the next.</para>
/// <para><b>Errors</b>: an exception goes to the stage's <see cref="Rings.FaultPolicy"/>; what the call had made is
/// forgotten.</para>
/// </remarks>
/// <typeparam name="TIn">What it reads.</typeparam>
/// <typeparam name="TOut">What it makes.</typeparam>
/// <example>
/// <code>
/// internal sealed class Words : IExpandHandler&lt;string, string>
/// {
///     public void OnItem(ref string item, Emitter&lt;string> output)
///     {
///         foreach (string word in item.Split(' ')) output.Emit(word);
///     }
/// }
/// </code>
/// </example>
public interface IExpandHandler<TIn, TOut>
{
    /// <summary>Gives <paramref name="output"/> what <paramref name="item"/> is made into.</summary>
    void OnItem(ref TIn item, Emitter<TOut> output);
}
