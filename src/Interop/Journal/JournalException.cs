namespace Raceway.Interop.Journal;

/// <summary>A journal cannot be opened, read or written.</summary>
public class JournalException : IOException
{
    internal JournalException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}

/// <summary>Something in a journal that was durable once is not what was written. Nothing is passed over: reading ends here.</summary>
public sealed class JournalDamagedException : JournalException
{
    internal JournalDamagedException(JournalDamage damage, string folder)
        : base(JournalErrors.Damaged(damage, folder)) => Damage = damage;

    /// <summary>Where, and what is wrong.</summary>
    public JournalDamage Damage { get; }
}

/// <summary>A place in a journal that is not what was written there.</summary>
/// <param name="File">The name of the segment, or of a snapshot, where items between it and the journal's own are missing.</param>
/// <param name="Offset">The first byte of the group, or of the header.</param>
/// <param name="Sequence">The first item that cannot be read.</param>
/// <param name="NextKnown">The first item known behind it; null if none is.</param>
/// <param name="Reason">What is wrong.</param>
public sealed record JournalDamage(string File, long Offset, long Sequence, long? NextKnown, string Reason);
