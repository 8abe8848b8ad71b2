using System.Runtime.ExceptionServices;

namespace Raceway.Concurrency;

/// <summary>What went wrong in pieces of work that belong together: the first failure, and those that came after it.</summary>
/// <remarks><b>Threads</b>: any may add; <see cref="ToThrow"/> and <see cref="Clear"/> once no thread adds any more.</remarks>
internal sealed class Failures
{
    private Exception? _first;
    private List<Exception>? _later;

    public bool Any => Volatile.Read(ref _first) is not null;

    /// <summary>Adds a failure; true where it is the first.</summary>
    public bool Add(Exception failure)
    {
        if (Interlocked.CompareExchange(ref _first, failure, null) is null) return true;
        lock (this)
        {
            (_later ??= []).Add(failure);
        }

        return false;
    }

    /// <summary>The first failure, which knows the later ones (<see cref="SuppressedFailures"/>) and where it came from.</summary>
    public Exception? ToThrow()
    {
        if (_first is not { } first) return null;
        if (_later is not null) SuppressedFailures.Attach(first, _later);
        return first;
    }

    public void Clear()
    {
        _first = null;
        _later = null;
    }
}

/// <summary>The failures that came after the one which is thrown.</summary>
/// <remarks>
/// Where several pieces of work run at once, more than one may fail before the rest has stopped. The first failure is thrown
/// as it is, so that <c>catch</c> sees the type it expects, however many there were; the others are kept with it.
/// <para>
/// An exception that throws the cancellation back which the first failure caused is none of them: it follows from the first.
/// </para>
/// </remarks>
/// <example>
/// <code>
/// try
/// {
///     await BoundedParallel.ForEachAsync(orders, 8, async (order, token) => await accounts.BookAsync(order, token));
/// }
/// catch (IOException first)
/// {
///     foreach (Exception other in SuppressedFailures.Of(first)) Console.WriteLine(other.Message);
/// }
/// </code>
/// </example>
public static class SuppressedFailures
{
    private const string Key = "Raceway.SuppressedFailures";

    /// <summary>The later failures, in the order in which they came; empty where there was none.</summary>
    /// <param name="thrown">What a for-each or a scope has thrown.</param>
    public static IReadOnlyList<Exception> Of(Exception thrown)
    {
        ArgumentNullException.ThrowIfNull(thrown);
        return thrown.Data[Key] as IReadOnlyList<Exception> ?? [];
    }

    internal static void Attach(Exception first, IReadOnlyList<Exception> later)
    {
        // A type of another library may keep no data; its own failure is still the one to throw.
        if (!first.Data.IsReadOnly) first.Data[Key] = later;
    }
}
