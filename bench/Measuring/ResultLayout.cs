namespace Raceway.Measuring;

/// <summary>Where the fields of a type lie and which writers share a line, as written by <c>raceway layout --json</c>.</summary>
public sealed record ResultLayout
{
    /// <summary>The type as C# spells it.</summary>
    public required string Type { get; init; }

    /// <summary><c>class</c>, <c>struct</c>, <c>ref struct</c>.</summary>
    public required string Kind { get; init; }

    /// <summary>Bytes of an object with its header, or of a struct.</summary>
    public required int Size { get; init; }

    /// <summary>The offset of the first byte: 0 is where the fields begin.</summary>
    public required int Start { get; init; }

    /// <summary>The offset that the address is that of.</summary>
    public required int Origin { get; init; }

    /// <summary>The address is always a multiple of this.</summary>
    public required int Step { get; init; }

    /// <summary>Bytes of a line, or of a pair of lines.</summary>
    public required int LineSize { get; init; }

    /// <summary>The fields; those of a nested struct follow it.</summary>
    public required IReadOnlyList<ResultField> Fields { get; init; }

    /// <summary>Bytes that belong to no field.</summary>
    public required IReadOnlyList<ResultGap> Gaps { get; init; }

    /// <summary>Writers that share a line.</summary>
    public required IReadOnlyList<ResultSharing> Shared { get; init; }

    /// <summary>How far into their lines live ones began; absent where none was looked at.</summary>
    public IReadOnlyList<int>? LivePlaces { get; init; }

    /// <summary>What a reader should know.</summary>
    public required IReadOnlyList<string> Notes { get; init; }
}

/// <summary>A field of a <see cref="ResultLayout"/>.</summary>
public sealed record ResultField
{
    /// <summary>Its name, behind those of the fields around it.</summary>
    public required string Path { get; init; }

    /// <summary>Its type as C# spells it.</summary>
    public required string Type { get; init; }

    /// <summary>Its first byte.</summary>
    public required int Offset { get; init; }

    /// <summary>Its bytes.</summary>
    public required int Size { get; init; }

    /// <summary>The thread that writes it, if that is known.</summary>
    public string? Writer { get; init; }
}

/// <summary>Bytes of a <see cref="ResultLayout"/> that belong to no field.</summary>
public sealed record ResultGap
{
    /// <summary>The first one.</summary>
    public required int Offset { get; init; }

    /// <summary>How many.</summary>
    public required int Size { get; init; }
}

/// <summary>Two writers that share a line of a <see cref="ResultLayout"/>.</summary>
public sealed record ResultSharing
{
    /// <summary>The writers.</summary>
    public required IReadOnlyList<string> Writers { get; init; }

    /// <summary>The fields that meet.</summary>
    public required IReadOnlyList<string> Fields { get; init; }

    /// <summary>At how many of the places where it may begin.</summary>
    public required int Places { get; init; }

    /// <summary>How many such places there are.</summary>
    public required int OfPlaces { get; init; }

    /// <summary>How many of the live ones shared it; absent where none was looked at.</summary>
    public int? Live { get; init; }
}
