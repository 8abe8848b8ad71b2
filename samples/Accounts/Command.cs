namespace Accounts;

/// <summary>A transfer, as the input numbers it, and the reply that the logic writes beside it.</summary>
internal struct Command
{
    /// <summary>Its place in the input: journal, replica and output know it again by that.</summary>
    public long Offset;
    public int From;
    public int To;
    public long Cents;

    /// <summary>What <see cref="From"/> has left; −1 if it had too little, and nothing was moved.</summary>
    public long Reply;
}
