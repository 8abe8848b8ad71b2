namespace Raceway.Measuring;

/// <summary>
/// How far apart the two processors were that a round ran on, as told by <see cref="LineRoundTrip"/>.
/// </summary>
public enum LineClass
{
    /// <summary>
    /// Not measured, disturbed, or only one class of fast lines was seen, which may be what this machine has.
    /// </summary>
    Unknown,

    /// <summary>As fast as two threads of one core, on a machine where slower lines were seen too.</summary>
    Near,

    /// <summary>Two cores.</summary>
    Far,

    /// <summary>The class changed during the round.</summary>
    Mixed,
}

/// <summary>How reports and result files name a <see cref="LineClass"/>.</summary>
public static class LineClassNames
{
    /// <summary>The name.</summary>
    public static string Name(this LineClass line) => line switch
    {
        LineClass.Near => "near",
        LineClass.Far => "far",
        LineClass.Mixed => "mixed",
        _ => "unknown",
    };
}
