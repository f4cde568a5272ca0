//! The small language in which meanings are written: parses text into a syntax tree.
//!
//! ```text
//! statements   s ; s ; ...
//!   t := e               a local name
//!   r = e                a register, a flag, or the register that an operand field names
//!   m8[a] = e            data memory: m8 to m128, in the table's byte order; shared8[a] to shared128[a]: block memory
//!   if c { s } else { s }
//!   jump e               jumpd e   after the instruction in the delay slot
//!   skip                 over the next instruction, of any length
//!   loads(list, a)       registers whose bits are set in a field, from ascending words of memory
//!   stores(list, a)
//!   name(e, ...)         a macro of the table, expanded as text
//! expressions, strongest first
//!   7  0x1f  name  (e)  e[7:0]  e[3]  m32[a]  shared32[a]  p8[a]  parameter32[a]  f(e, ...)
//!   ~e  *  + -  << >> >>>  &  ^  |  == != <u <s  c ? e : e
//! functions
//!   zx(e, n) sx(e, n)    extended to n bits      cat(high, ..., low)     ror(e, n)   divu(a,b) remu(a,b)
//!   count(f, n)          the number of set bits in field f, as n bits
//!   pair(f)              the register that field f names, and the next above it
//!   pick(a, b, i)        the byte at index i (low 5 bits) of the 16 bytes of a, highest first, followed by those of b
//!   undefined(e)         as wide as e: left open by the manual; the value may depend on e and on anything public
//!   sbox(e) isbox(e) xtime(e) times(n, e)
//!   pc                   the address of the instruction; next: of the one after it
//! ```
//!
//! A number takes the width of the other operand; every other width follows from the registers and fields.

mod words;

pub use words::Macros;
use words::{Token, tokens};

/// An expression as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ast {
    /// A literal number.
    Number(u64),
    /// A name.
    Name(String),
    /// Bits `high ..= low`.
    Slice(Box<Ast>, u8, u8),
    /// Memory: the letter of its space, the size in bits, and the address.
    Memory(char, u8, Box<Ast>),
    /// A function call.
    Call(String, Vec<Ast>),
    /// An operator: `*`, `+`, `<<`, `==` ...; `~` has one operand, `?` three.
    Operator(&'static str, Vec<Ast>),
}

impl Ast {
    /// The nesting depth of operators.
    fn height(&self) -> usize {
        match self {
            Ast::Number(_) | Ast::Name(_) => 0,
            Ast::Slice(of, _, _) | Ast::Memory(_, _, of) => 1 + of.height(),
            Ast::Call(_, of) | Ast::Operator(_, of) => 1 + of.iter().map(Ast::height).max().unwrap_or(0),
        }
    }
}

/// A statement as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// Assignment `name := e` of a local.
    Local(String, Ast),
    /// `place = e`
    Assign(Ast, Ast),
    /// `if`
    If(Ast, Vec<Line>, Vec<Line>),
    /// `jump`, or `jumpd` with `true`.
    Jump(Ast, bool),
    /// `skip`
    Skip,
    /// `loads`, or `stores` with `true`.
    Multiple(Ast, Ast, bool),
}

/// A mistake in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// Its position, a byte offset in the text.
    pub at: usize,
    /// A sentence that describes it.
    pub what: String,
}

/// The maximum number of tokens after macro expansion: more are a sign of macros that call each other.
const TOKENS: usize = 10_000;

/// The maximum nesting depth of parentheses and operators: functions that read a tree recurse.
const LEVELS_DEEP: usize = 200;

fn too_deep() -> String {
    format!("more than {LEVELS_DEEP} parentheses or operators stand in each other; name parts with ':='")
}

struct Parser<'a> {
    tokens: Vec<(usize, Token)>,
    next: usize,
    macros: &'a Macros,
    end: usize,
    depth: usize,
}

/// Parses a text of statements.
pub fn parse(text: &str, macros: &Macros) -> Result<Vec<Line>, Mistake> {
    let tokens = tokens(text)?;
    if let Some((at, _)) = tokens.get(TOKENS) {
        return Err(Mistake { at: *at, what: format!("it has more than {TOKENS} words and signs") });
    }
    let mut parser = Parser { tokens, next: 0, macros, end: text.len(), depth: 0 };
    let lines = parser.lines()?;
    match parser.peek() {
        None => Ok(lines),
        Some(_) => parser.fail("a statement ends here, and no ';' follows"),
    }
}

/// Binary operators by precedence, weakest first.
const LEVELS: &[&[&str]] =
    &[&["==", "!=", "<u", "<s"], &["|"], &["^"], &["&"], &["<<", ">>", ">>>"], &["+", "-"], &["*"]];

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(_, t)| t)
    }

    fn fail<T>(&self, what: impl Into<String>) -> Result<T, Mistake> {
        let at = self.tokens.get(self.next).map_or(self.end, |(at, _)| *at);
        Err(Mistake { at, what: what.into() })
    }

    fn sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Sign(s)) if *s == sign);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), Mistake> {
        if self.sign(sign) { Ok(()) } else { self.fail(format!("'{sign}' is missing")) }
    }

    fn lines(&mut self) -> Result<Vec<Line>, Mistake> {
        let mut lines = Vec::new();
        loop {
            while self.sign(";") {}
            if self.peek().is_none() || matches!(self.peek(), Some(Token::Sign("}"))) {
                return Ok(lines);
            }
            self.line(&mut lines)?;
            if !matches!(self.peek(), None | Some(Token::Sign(";" | "}"))) {
                // A block needs no ';' after it.
                if !matches!(lines.last(), Some(Line::If(..))) {
                    return self.fail("a statement ends here, and no ';' follows");
                }
            }
        }
    }

    fn line(&mut self, lines: &mut Vec<Line>) -> Result<(), Mistake> {
        if let Some(Token::Name(name)) = self.peek().cloned() {
            let follows = self.tokens.get(self.next + 1).map(|(_, t)| t.clone());
            let called = follows == Some(Token::Sign("("));
            match name.as_str() {
                "if" => {
                    self.next += 1;
                    let condition = self.expression()?;
                    self.expect("{")?;
                    let then = self.deeper(Self::lines)?;
                    self.expect("}")?;
                    let mut otherwise = Vec::new();
                    if matches!(self.peek(), Some(Token::Name(n)) if n == "else") {
                        self.next += 1;
                        self.expect("{")?;
                        otherwise = self.deeper(Self::lines)?;
                        self.expect("}")?;
                    }
                    lines.push(Line::If(condition, then, otherwise));
                    return Ok(());
                }
                "jump" | "jumpd" => {
                    self.next += 1;
                    lines.push(Line::Jump(self.expression()?, name == "jumpd"));
                    return Ok(());
                }
                "skip" => {
                    self.next += 1;
                    lines.push(Line::Skip);
                    return Ok(());
                }
                "loads" | "stores" if called => {
                    self.next += 2;
                    let list = self.expression()?;
                    self.expect(",")?;
                    let address = self.expression()?;
                    self.expect(")")?;
                    lines.push(Line::Multiple(list, address, name == "stores"));
                    return Ok(());
                }
                _ if called && self.macros.0.contains_key(&name) => {
                    self.expand(&name, false)?;
                    // The body replaces the call and is parsed like any other statements.
                    return self.deeper(|parser| parser.line(lines));
                }
                _ if follows == Some(Token::Sign(":=")) => {
                    self.next += 2;
                    lines.push(Line::Local(name, self.expression()?));
                    return Ok(());
                }
                _ => {}
            }
        }
        let place = self.expression()?;
        self.expect("=")?;
        lines.push(Line::Assign(place, self.expression()?));
        Ok(())
    }

    /// Replaces a macro call by the macro's body, in parentheses if it is a value.
    fn expand(&mut self, name: &str, value: bool) -> Result<(), Mistake> {
        let (parameters, body) = self.macros.0[name].clone();
        let start = self.next;
        let at = self.tokens[start].0;
        self.next += 2;
        let mut arguments: Vec<Vec<(usize, Token)>> = Vec::new();
        while !self.sign(")") {
            let from = self.next;
            self.expression()?;
            arguments.push(self.tokens[from..self.next].to_vec());
            if !self.sign(",") && !matches!(self.peek(), Some(Token::Sign(")"))) {
                return self.fail("',' or ')' is missing");
            }
        }
        if arguments.len() != parameters.len() {
            let wanted = parameters.len();
            return self.fail(format!("'{name}' takes {wanted} arguments, here are {}", arguments.len()));
        }
        let mut put = Vec::new();
        let others = self.tokens.len() - (self.next - start);
        for (_, token) in tokens(&body)? {
            if put.len() + others > TOKENS {
                return Err(Mistake {
                    at,
                    what: format!(
                        "the macro '{name}' expands too far, to more than {TOKENS} words and signs; name parts of it with ':='"
                    ),
                });
            }
            match &token {
                Token::Name(n) => match parameters.iter().position(|p| p == n) {
                    Some(k) if arguments[k].len() == 1 => put.extend(arguments[k].iter().cloned()),
                    Some(k) => {
                        put.push((at, Token::Sign("(")));
                        put.extend(arguments[k].iter().cloned());
                        put.push((at, Token::Sign(")")));
                    }
                    None => put.push((at, token)),
                },
                _ => put.push((at, token)),
            }
        }
        if value {
            put.insert(0, (at, Token::Sign("(")));
            put.push((at, Token::Sign(")")));
        }
        let end = self.next;
        self.tokens.splice(start..end, put);
        self.next = start;
        Ok(())
    }

    /// Runs `read` one nesting level deeper, or returns a mistake if that is too deep.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Mistake>) -> Result<T, Mistake> {
        self.depth += 1;
        if self.depth > LEVELS_DEEP {
            return self.fail(too_deep());
        }
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn expression(&mut self) -> Result<Ast, Mistake> {
        let start = self.next;
        let value = self.deeper(Self::choice)?;
        if value.height() > LEVELS_DEEP {
            let at = self.tokens[start].0;
            return Err(Mistake { at, what: too_deep() });
        }
        Ok(value)
    }

    fn choice(&mut self) -> Result<Ast, Mistake> {
        let condition = self.level(0)?;
        if !self.sign("?") {
            return Ok(condition);
        }
        let yes = self.expression()?;
        self.expect(":")?;
        let no = self.expression()?;
        Ok(Ast::Operator("?", vec![condition, yes, no]))
    }

    fn level(&mut self, level: usize) -> Result<Ast, Mistake> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        loop {
            let Some(&operator) = operators.iter().find(|&&o| self.sign(o)) else { return Ok(left) };
            left = Ast::Operator(operator, vec![left, self.level(level + 1)?]);
        }
    }

    fn unary(&mut self) -> Result<Ast, Mistake> {
        if self.sign("~") {
            return Ok(Ast::Operator("~", vec![self.deeper(Self::unary)?]));
        }
        let mut value = self.primary()?;
        while self.sign("[") {
            let high = self.small()?;
            let low = if self.sign(":") { self.small()? } else { high };
            self.expect("]")?;
            if high < low {
                return self.fail(format!("a slice is written [high:low], here it is [{high}:{low}]"));
            }
            value = Ast::Slice(Box::new(value), high, low);
        }
        Ok(value)
    }

    fn small(&mut self) -> Result<u8, Mistake> {
        match self.peek() {
            Some(&Token::Number(n)) if n < 128 => {
                self.next += 1;
                Ok(n as u8)
            }
            _ => self.fail("the number of a bit, 0 to 127, is missing"),
        }
    }

    fn primary(&mut self) -> Result<Ast, Mistake> {
        if self.sign("(") {
            let inner = self.expression()?;
            self.expect(")")?;
            return Ok(inner);
        }
        match self.peek().cloned() {
            Some(Token::Number(n)) => {
                self.next += 1;
                Ok(Ast::Number(n))
            }
            Some(Token::Name(name)) => {
                let memory = |word: &str| name.strip_prefix(word).and_then(|b| b.parse::<u8>().ok());
                let bracket = matches!(self.tokens.get(self.next + 1), Some((_, Token::Sign("["))));
                // Only a following bracket makes these words memory: tables may use names such as `s8` themselves.
                for (word, letter) in [("m", 'm'), ("p", 'p'), ("shared", 's'), ("parameter", 'a')] {
                    if let (Some(bits @ (8 | 16 | 32 | 64 | 128)), true) = (memory(word), bracket) {
                        self.next += 2;
                        let address = self.expression()?;
                        self.expect("]")?;
                        return Ok(Ast::Memory(letter, bits, Box::new(address)));
                    }
                }
                if !matches!(self.tokens.get(self.next + 1), Some((_, Token::Sign("(")))) {
                    self.next += 1;
                    return Ok(Ast::Name(name));
                }
                if self.macros.0.contains_key(&name) {
                    self.expand(&name, true)?;
                    return self.deeper(Self::primary);
                }
                self.next += 2;
                let mut arguments = Vec::new();
                while !self.sign(")") {
                    arguments.push(self.expression()?);
                    if !self.sign(",") && !matches!(self.peek(), Some(Token::Sign(")"))) {
                        return self.fail("',' or ')' is missing");
                    }
                }
                Ok(Ast::Call(name, arguments))
            }
            _ => self.fail("a value is missing"),
        }
    }
}
