using System.Reflection;
using System.Reflection.Emit;

namespace Raceway.Proof.Tests.Misuse;

/// <summary>Which members the code of this folder calls, read from what the compiler has made of it: no list to go stale.</summary>
internal static class CalledMembers
{
    private const BindingFlags Declared = BindingFlags.Public | BindingFlags.NonPublic
        | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly OpCode[] s_short = new OpCode[256];
    private static readonly OpCode[] s_long = new OpCode[256];

    static CalledMembers()
    {
        foreach (FieldInfo field in typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static))
        {
            var code = (OpCode)field.GetValue(null)!;
            (code.Size == 1 ? s_short : s_long)[code.Value & 0xFF] = code;
        }
    }

    /// <summary>The definitions of all methods and constructors called in the namespace of <paramref name="type"/>.</summary>
    public static HashSet<(Module, int)> In(Type type) =>
    [
        .. type.Assembly.GetTypes()
            .Where(other => other.Namespace == type.Namespace)
            .SelectMany(static other => other.GetMethods(Declared).Cast<MethodBase>().Concat(other.GetConstructors(Declared)))
            .SelectMany(Called)
            .Select(Key),
    ];

    /// <summary>What a method is, whatever it is closed over.</summary>
    public static (Module Module, int Token) Key(MethodBase method) => (method.Module, method.MetadataToken);

    private static IEnumerable<MethodBase> Called(MethodBase method)
    {
        byte[] code = method.GetMethodBody()?.GetILAsByteArray() ?? [];
        Type[] ofType = method.DeclaringType!.GetGenericArguments();
        Type[] ofMethod = method.IsGenericMethod ? method.GetGenericArguments() : [];
        for (int at = 0; at < code.Length;)
        {
            OpCode operation = code[at] == 0xFE ? s_long[code[at + 1]] : s_short[code[at]];
            at += operation.Size;
            if (operation.OperandType == OperandType.InlineMethod)
                yield return method.Module.ResolveMethod(BitConverter.ToInt32(code, at), ofType, ofMethod)!;
            at += Length(operation.OperandType, code, at);
        }
    }

    private static int Length(OperandType operand, byte[] code, int at) => operand switch
    {
        OperandType.InlineNone => 0,
        OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
        OperandType.InlineVar => 2,
        OperandType.InlineI8 or OperandType.InlineR => 8,
        OperandType.InlineSwitch => 4 + 4 * BitConverter.ToInt32(code, at),
        _ => 4,
    };
}
